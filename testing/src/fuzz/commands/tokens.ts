import { type CreatedToken, scopes, tokenDays, tokens } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsFor, notFound, refused, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { type Account, learnId } from "../model/model.ts"
import { nameFaults } from "../model/text-rules.ts"
import { tokenView } from "../model/views.ts"

export const tokensCommands = {
  list: commandsFor(tokens.list, {
    expected: ({ account }) => ({ data: () => madeBy(account).toReversed().map(tokenView) }),
  }),

  create: commandsFor(tokens.create, {
    draw: fc.record({
      name: draw.name,
      scope: fc.constantFrom(...scopes),
      days: fc.constantFrom(undefined, ...tokenDays),
    }),
    expected: ({ model, account }, { name, scope, days }) =>
      unless(nameFaults(name), () => {
        if (account.tokens?.has(name.trim())) return refused(409, "You already have a token with that name")
        return {
          data(data) {
            const { id, token } = data as CreatedToken
            expect(token).toMatch(/^ept_[0-9A-Za-z]{46}$/)
            const made = { id: learnId(model, "token", id), name: name.trim(), scope, days }
            account.tokens = new Map([...(account.tokens ?? []), [made.name, made]])
            return { ...tokenView(made), token }
          },
        }
      }),
  }),

  revoke: commandsFor(tokens.revoke, {
    weight: 2,
    draw: fc.record({ index: fc.nat(3) }),
    request: ({ account }, { index }) => ({ id: madeBy(account)[index]?.id ?? 1_000_000_000 }),
    expected({ account }, { index }) {
      const token = madeBy(account)[index]
      if (token === undefined) return notFound("Token")
      return {
        data() {
          account.tokens?.delete(token.name)
          return null
        },
      }
    },
  }),
}

function madeBy(account: Account | undefined) {
  return [...(account?.tokens?.values() ?? [])]
}
