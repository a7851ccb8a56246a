import { tokens } from "@envkeep/contract"
import { expect } from "vitest"
import { commandsAbout, commandsFor, refused } from "../model/command.ts"
import { learnId } from "../model/model.ts"
import { tokenView } from "../model/views.ts"

export const tokensCommands = {
  list: commandsFor(tokens.list, {
    data: ({ account }) => [...account.tokens.values()].toReversed().map(tokenView),
  }),

  create: commandsFor(tokens.create, {
    refusal: ({ account, input }) =>
      account.tokens.has(input.name.trim()) && refused(409, "You already have a token with that name"),
    data({ model, account, input: { name, scope, days } }, { id, token }) {
      expect(token).toMatch(/^ept_[0-9A-Za-z]{46}$/)
      const made = { id: learnId(model, "token", id), name: name.trim(), scope, days }
      account.tokens.set(made.name, made)
      return { ...tokenView(made), token }
    },
  }),

  revoke: commandsAbout("token", tokens.revoke, {
    weight: 2,
    data({ account, token }) {
      account.tokens.delete(token.name)
    },
  }),
}
