import { sessions } from "@envkeep/contract"
import { expect } from "vitest"
import { commandsFor, notFound, refusedCalls } from "../model/command.ts"
import { type Account, endSession, type Model } from "../model/model.ts"

export const sessionsCommands = {
  list: commandsFor(sessions.list, {
    data(context, listed) {
      expect(listed).toHaveLength(tokensOf(context).length)
      expect(listed.map(({ isCurrent }) => isCurrent)).toEqual(listed.map((_, at) => at === 0))
      return listed
    },
  }),

  // The model does not know the ids of sessions.
  end: refusedCalls(notFound("Session"))(sessions.end),

  endOthers: commandsFor(sessions.endOthers, {
    weight: 1,
    data(context) {
      for (const token of tokensOf(context)) if (token !== context.browser.token) endSession(context.model, token)
    },
  }),
}

function tokensOf({ model, account }: { model: Model; account: Account }): string[] {
  return [...model.sessions].filter(([, id]) => id === account.id).map(([token]) => token)
}
