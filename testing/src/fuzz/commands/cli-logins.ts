import { type CliLogin, cliLogins, type OutputOf } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { type CallContext, commandsFor, refused } from "../model/command.ts"

// What a login goes through is in the feature's own test. Here its calls stand among all others.

/** Fewer than the limits on guessing allow, whichever account guesses. */
const maxCalls = 15

function isWithinLimits({ model }: CallContext): boolean {
  const calls = (model.guesses.get("logins of the command") ?? 0) + 1
  model.guesses.set("logins of the command", calls)
  return calls <= maxCalls
}

const unknownCode = "There is no login with this code. It may have expired: start again in your terminal"
const guess = {
  draw: fc.record({ userCode: fc.constantFrom("BCDF-GHJK", "bcdfghjk", "nothing") }),
  applies: isWithinLimits,
  expected: () => refused(400, unknownCode),
}

export const cliLoginsCommands = {
  begin: commandsFor(cliLogins.begin, {
    draw: fc.record({ machine: fc.constantFrom("laptop", " build server ") }),
    applies: isWithinLimits,
    expected: () => ({
      data(data) {
        const begun = data as OutputOf<typeof cliLogins.begin>
        expect(begun.userCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/)
        return { ...begun, confirmPath: "/cli/confirm", intervalSeconds: 2 }
      },
    }),
  }),
  poll: commandsFor(cliLogins.poll, {
    draw: fc.record({ deviceCode: fc.constantFrom("unknown", "another") }),
    expected: () => ({ data: () => ({ state: "expired", token: null }) }),
  }),
  look: commandsFor(cliLogins.look, guess),
  approve: commandsFor(cliLogins.approve, {
    ...guess,
    request: (_, { userCode }: Pick<CliLogin, "userCode">) => ({ body: { userCode, scope: "write" } }),
  }),
  deny: commandsFor(cliLogins.deny, guess),
  token: commandsFor(cliLogins.token, { expected: () => ({ data: () => null }) }),
  logout: commandsFor(cliLogins.logout, {
    expected: () => refused(400, "This call was not made with a token"),
  }),
}
