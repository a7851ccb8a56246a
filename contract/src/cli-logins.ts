import { z } from "zod"
import { call, scopes } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, shown, shownName, text } from "./text.ts"
import { CreatedToken, Token, tokenDays } from "./tokens.ts"

// A login of the command `envkeep`: a machine begins it, its user confirms it in a browser, and the machine collects a
// personal token. No password is typed into a terminal.

/** Consonants only: no code spells a word, and none has a letter that looks like a digit. */
export const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"

const asCode = (typed: string) => typed.toUpperCase().replaceAll(/[^A-Z]/g, "")

/** As people type it: small letters, spaces and a missing hyphen are fine. */
const userCode = text({ label: "Code", max: limits.cliCode, required: "Please enter the code" }).transform((typed) => {
  const letters = asCode(typed)
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
})

const deviceCode = text({ label: "Device code", max: limits.resetToken, required: "A device code is required" })

/** A login that waits for its user, as the page shows it. */
export const CliLogin = z.object({
  userCode: z.string(),
  /** What the machine calls itself. Anyone can claim anything, so it is only shown. */
  machine: shown,
  /** Its network, such as `203.0.113.0/24`. */
  from: z.string(),
  expiresAt: z.string(),
})
export type CliLogin = z.output<typeof CliLogin>

export const cliLogins = {
  begin: call({
    access: "anyone",
    method: "POST",
    path: "/cli/logins",
    summary:
      "Begins a login of the command `envkeep`. The machine shows `userCode`, its user confirms it at `confirmPath`, and the machine asks for the outcome with `deviceCode`.",
    input: fields({
      machine: shownName({ label: "Machine", max: limits.machine, required: "The machine needs a name" }),
    }),
    output: z.object({
      deviceCode: z.string(),
      userCode: z.string(),
      /** Below the server's address. With `#` and the code, no one has to type it. */
      confirmPath: z.string(),
      /** How long to wait before each `poll`. */
      intervalSeconds: z.number(),
      expiresAt: z.string(),
    }),
    done: "Login begun",
  }),
  poll: call({
    access: "anyone",
    method: "POST",
    path: "/cli/logins/poll",
    summary:
      "What became of a login. Once its user has approved it, the answer has a new personal token, once. An unknown code counts as expired.",
    input: fields({ deviceCode }),
    output: z.object({
      state: z.enum(["pending", "approved", "denied", "expired"]),
      token: CreatedToken.nullable(),
    }),
    done: "OK",
  }),
  look: call({
    access: "user",
    token: "never",
    method: "POST",
    path: "/cli/logins/look",
    summary: "The login that waits with this code, so that its user can check it.",
    input: fields({ userCode }),
    output: CliLogin,
    done: "Login found. Compare the code",
  }),
  approve: call({
    access: "user",
    token: "never",
    confirm: true,
    method: "POST",
    path: "/cli/logins/approve",
    summary: "Lets the machine that shows this code collect a personal token of the caller.",
    input: fields({
      userCode,
      scope: z.enum(scopes, { error: `The scope must be one of ${scopes.join(", ")}` }),
      days: z.literal(tokenDays, { error: `The days must be one of ${tokenDays.join(", ")}` }).optional(),
    }),
    output: z.null(),
    done: "Login approved",
  }),
  deny: call({
    access: "user",
    token: "never",
    method: "POST",
    path: "/cli/logins/deny",
    summary: "Refuses the login with this code.",
    input: fields({ userCode }),
    output: z.null(),
    done: "Login denied",
  }),
  token: call({
    access: "user",
    token: "names",
    method: "GET",
    path: "/users/me/token",
    summary: "The personal token that makes this call; null for a call by a session.",
    input: fields({}),
    output: Token.nullable(),
    done: "OK",
  }),
  logout: call({
    access: "user",
    token: "names",
    method: "DELETE",
    path: "/users/me/token",
    summary: "Revokes the personal token that makes this call.",
    input: fields({}),
    output: z.null(),
    done: "Token revoked successfully",
  }),
}
