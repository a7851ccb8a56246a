import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, text } from "./text.ts"
import { User } from "./users.ts"

// The second step of a login, and what it needs: an authenticator app (TOTP) or a passkey, and recovery codes for the day it
// is lost.

/** Who must have a second factor: no one, administrators, or all. */
export const secondFactorModes = ["off", "admins", "all"] as const
export type SecondFactorMode = (typeof secondFactorModes)[number]

/**
 * The data of a 403 that asks for the second factor of a login: what can finish it. A passkey of another host cannot, so it may
 * be that nothing can.
 */
export const SecondFactorNeeded = z.object({
  secondFactor: z.object({ totp: z.boolean(), passkey: z.boolean(), recoveryCode: z.boolean() }),
})
export type SecondFactorNeeded = z.output<typeof SecondFactorNeeded>

/** The data of a 403 that asks the user to confirm: how that can be done. */
export const ConfirmNeeded = z.object({ confirm: z.object({ password: z.boolean(), passkey: z.boolean() }) })
export type ConfirmNeeded = z.output<typeof ConfirmNeeded>

export const SecondFactors = z.object({
  totp: z.boolean(),
  passkeys: z.number(),
  recoveryCodesLeft: z.number(),
  /** Whether the server wants the account to have one. */
  isRequired: z.boolean(),
})
export type SecondFactors = z.output<typeof SecondFactors>

export const totpDigits = 6
export const totpPeriodSeconds = 30

/** As people read it from their app: spaces are fine. */
const totpCode = text({ label: "Code", max: limits.factorCode, required: "Please enter the code" })
  .transform((typed) => typed.replaceAll(/\s/g, ""))
  .refine((code) => /^\d{6}$/.test(code), `A code has ${totpDigits} digits`)
  .meta({ type: "string", format: "totp-code" })

/** No I, L, O and U: none looks like another, and few words can be spelled. */
export const recoveryCodeLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
export const recoveryCodeCount = 10

/** As people type it: small letters, spaces, missing hyphens, and the letters that look like digits are fine. */
const recoveryCode = text({
  label: "Code",
  max: limits.factorCode,
  required: "Please enter a recovery code",
}).transform((typed) =>
  typed
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1"),
)

const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) })
export type RecoveryCodes = z.output<typeof RecoveryCodes>

const loggedIn = "Logged in successfully"

export const secondFactors = {
  signInWithCode: call({
    access: "anyone",
    method: "POST",
    path: "/users/login/code",
    summary:
      "Finishes a login with the current code of the authenticator app. The login before it has answered 403 and set a cookie.",
    input: fields({ code: totpCode }),
    output: User,
    done: loggedIn,
  }),
  signInWithRecoveryCode: call({
    access: "anyone",
    method: "POST",
    path: "/users/login/recovery-code",
    summary: "Finishes a login with a recovery code, which works once.",
    input: fields({ code: recoveryCode }),
    output: User,
    done: loggedIn,
  }),
  signInWithLink: call({
    access: "anyone",
    method: "POST",
    path: "/users/login/factor-link",
    summary:
      "Finishes a login with the token of an administrator's link, which works once. It removes all second factors of the account and ends its other sessions.",
    input: fields({ token: text({ label: "Token", max: limits.resetToken, trim: false }) }),
    output: User,
    done: "Logged in successfully. Your second factors were removed",
  }),
  status: call({
    access: "user",
    token: "never",
    beforeFactor: true,
    method: "GET",
    path: "/users/me/second-factors",
    summary: "Which second factors the caller has, and whether the server requires one.",
    input: fields({}),
    output: SecondFactors,
    done: "OK",
  }),
  beginTotp: call({
    access: "user",
    token: "never",
    confirm: true,
    beforeFactor: true,
    method: "POST",
    path: "/users/me/totp",
    summary:
      "Makes the secret of a new authenticator app, in base32 and as the address that a QR code holds. It is shown once, and counts only after `confirm`.",
    input: fields({}),
    output: z.object({ secret: z.string(), uri: z.string() }),
    done: "Add the secret to your app, then enter its code",
  }),
  confirmTotp: call({
    access: "user",
    token: "never",
    confirm: true,
    beforeFactor: true,
    method: "POST",
    path: "/users/me/totp/confirm",
    summary:
      "Switches the authenticator app on with a first code of it. The answer has new recovery codes, once; earlier ones stop working.",
    input: fields({ code: totpCode }),
    output: RecoveryCodes,
    done: "Authenticator app switched on",
  }),
  removeTotp: call({
    access: "user",
    token: "never",
    confirm: true,
    beforeFactor: true,
    method: "DELETE",
    path: "/users/me/totp",
    summary: "Switches the authenticator app off. Without another factor, the recovery codes go too.",
    input: fields({}),
    output: z.null(),
    done: "Authenticator app switched off",
  }),
  createRecoveryCodes: call({
    access: "user",
    token: "never",
    confirm: true,
    beforeFactor: true,
    method: "POST",
    path: "/users/me/recovery-codes",
    summary: "Makes new recovery codes, which are shown once. Earlier ones stop working.",
    input: fields({}),
    output: RecoveryCodes,
    done: "Recovery codes created",
  }),
}
