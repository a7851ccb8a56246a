import { type Session, sessions } from "@envkeep/contract"
import { expect } from "vitest"
import { commandsFor, notFound, type SignedInContext } from "../model/command.ts"
import { endSession } from "../model/model.ts"

export const sessionsCommands = {
  list: commandsFor(sessions.list, {
    expected: (context) => ({
      data(data) {
        const listed = data as Session[]
        expect(listed).toHaveLength(tokensOf(context).length)
        expect(listed.map(({ isCurrent }) => isCurrent)).toEqual(listed.map((_, at) => at === 0))
        return data
      },
    }),
  }),

  // The model does not know the ids of sessions.
  end: commandsFor(sessions.end, {
    weight: 1,
    request: () => ({ id: 1_000_000_000 }),
    expected: () => notFound("Session"),
  }),

  endOthers: commandsFor(sessions.endOthers, {
    weight: 1,
    expected: (context) => ({
      data() {
        for (const token of tokensOf(context)) if (token !== context.browser.token) endSession(context.model, token)
        return null
      },
    }),
  }),
}

function tokensOf({ model, account }: SignedInContext): string[] {
  return [...model.sessions].filter(([, id]) => id === account.id).map(([token]) => token)
}
