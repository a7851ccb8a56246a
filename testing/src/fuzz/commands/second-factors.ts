import { secondFactors, sentences } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsFor, refused, refusedCalls } from "../model/command.ts"

// What a second factor goes through is in the feature's own tests. Here its calls stand among all others, and no account of
// the model has one.

const noLogin = () => refused(401, sentences.signInExpired)

export const secondFactorsCommands = {
  signInWithCode: commandsFor(secondFactors.signInWithCode, {
    weight: 1,
    fields: { code: fc.constantFrom("123456", " 123 456 ") },
    refusal: noLogin,
  }),
  signInWithRecoveryCode: commandsFor(secondFactors.signInWithRecoveryCode, {
    weight: 1,
    fields: { code: fc.constantFrom("0000-0000-0000-0000", "nothing") },
    refusal: noLogin,
  }),
  signInWithLink: commandsFor(secondFactors.signInWithLink, {
    weight: 1,
    fields: { token: fc.constantFrom("unknown", "") },
    refusal: noLogin,
  }),
  status: commandsFor(secondFactors.status, {
    data: () => ({ totp: false, passkeys: 0, recoveryCodesLeft: 0, isRequired: false }),
  }),
  beginTotp: commandsFor(secondFactors.beginTotp, {
    weight: 1,
    data(_, data) {
      expect(data.secret).toMatch(/^[A-Z2-7]{32}$/)
      return data
    },
  }),
  // Any six digits could be right.
  confirmTotp: commandsFor(secondFactors.confirmTotp, {
    weight: 1,
    fields: { code: fc.constantFrom("12345", "abcdef") },
    refusal: () => refused(400, "A code has 6 digits"),
  }),
  removeTotp: refusedCalls(refused(409, sentences.totpNotOn))(secondFactors.removeTotp),
  createRecoveryCodes: refusedCalls(refused(409, sentences.noSecondFactor))(secondFactors.createRecoveryCodes),
}
