import { cliLogins } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsFor, refused } from "../model/command.ts"
import type { CallContext } from "../model/field.ts"
import { countGuess, guessesOf } from "../model/model.ts"

// What a login goes through is in the feature's own test. Here its calls stand among all others.

/** Fewer than the limits on guessing allow, whichever account guesses. */
const maxCalls = 15

function isWithinLimits({ model }: CallContext): boolean {
  countGuess(model, "logins of the command")
  return guessesOf(model, "logins of the command") <= maxCalls
}

const guess = {
  fields: { userCode: fc.constantFrom("BCDF-GHJK", "bcdfghjk", "nothing") },
  applies: isWithinLimits,
  refusal: () => refused(400, "There is no login with this code. It may have expired: start again in your terminal"),
}

export const cliLoginsCommands = {
  begin: commandsFor(cliLogins.begin, {
    fields: { machine: fc.constantFrom("laptop", " build server ") },
    applies: isWithinLimits,
    data(_, begun) {
      expect(begun.userCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/)
      return { ...begun, confirmPath: "/cli/confirm", intervalSeconds: 2 }
    },
  }),
  poll: commandsFor(cliLogins.poll, {
    fields: { deviceCode: fc.constantFrom("unknown", "another") },
    data: () => ({ state: "expired", token: null }),
  }),
  look: commandsFor(cliLogins.look, guess),
  approve: commandsFor(cliLogins.approve, guess),
  deny: commandsFor(cliLogins.deny, guess),
  token: commandsFor(cliLogins.token),
  logout: commandsFor(cliLogins.logout, {
    refusal: () => refused(400, "This call was not made with a token"),
  }),
}
