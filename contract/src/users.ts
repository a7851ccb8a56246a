import { z } from "zod"
import { call } from "./call.ts"
import { firstCalls } from "./first-calls.ts"
import { invitationSecret } from "./invitations.ts"
import { limits } from "./limits.ts"
import { registrationModes } from "./registration.ts"
import { fields, form, hasCharacters, shown, shownName, text } from "./text.ts"

export const User = z.object({
  id: z.number(),
  username: shown,
  email: z.string(),
  isAdmin: z.boolean(),
  /** Only there if it is true: the server requires a second factor, and refuses most calls until there is one. */
  needsSecondFactor: z.literal(true).optional(),
})
export type User = z.output<typeof User>

/** How much of the quota an account uses. */
export const StorageUse = z.object({
  usedBytes: z.number(),
  /** Null if there is no quota. */
  quotaBytes: z.number().nullable(),
})
export type StorageUse = z.output<typeof StorageUse>

/** What stands in the way of deleting an account, and what is deleted with it. */
export const AccountDeletion = z.object({
  /** The collections that the account pays for: at most 100 of them. Others must take them over, or they are deleted first. */
  collections: z.array(z.object({ id: z.number(), name: shown, environmentCount: z.number(), itemCount: z.number() })),
  /** How many these are. */
  ownedAlone: z.number(),
  /** How many collections of the trash are deleted with the account. */
  trashedCount: z.number(),
  /** The last administrator cannot be deleted. */
  isLastAdmin: z.boolean(),
})
export type AccountDeletion = z.output<typeof AccountDeletion>

const username = (required: string) => shownName({ label: "Username", max: limits.username, required })

export const emailField = (required: string) =>
  text({ label: "Email", max: limits.email, required }).refine(
    // Only what every address has: mail servers in a private network may have names without a dot.
    // No invisible characters: two addresses that look the same would be two accounts.
    (value) => /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(value),
    "Please enter a valid email address",
  )

const password = text({ label: "Password", max: limits.passwordMax, trim: false })

const newPassword = password
  .refine(
    (value) => hasCharacters(value, limits.passwordMin),
    `Password must be at least ${limits.passwordMin} characters`,
  )
  .meta({ minLength: limits.passwordMin, maxLength: limits.passwordMax })

const resetToken = text({ label: "Token", max: limits.resetToken, trim: false })

const fillIn = "Please fill in all fields"
const fillAll = "Please fill all the fields"

export const users = {
  me: call({
    ...firstCalls.me,
    summary: "The signed-in user; null for a guest.",
    input: fields({}),
    output: User.nullable(),
  }),
  storage: call({
    access: "user",
    token: "names",
    method: "GET",
    path: "/users/me/storage",
    summary: "How many bytes the caller's account stores, and how many it may store; null without a quota.",
    input: fields({}),
    output: StorageUse,
    done: "OK",
  }),
  login: call({
    access: "anyone",
    method: "POST",
    path: "/users/login",
    summary:
      "Signs in and sets the session cookie. With a second factor, the answer is 403 instead, and its data says which of them can finish the login.",
    input: form(fillIn, ["email", "password"], {
      email: text({ label: "Email", max: limits.email, required: fillIn }),
      password,
    }),
    output: User,
    done: "Logged in successfully",
  }),
  logout: call({
    ...firstCalls.logout,
    summary: "Ends the session on the server and clears the cookie.",
    input: fields({}),
    output: z.null(),
  }),
  registration: call({
    access: "anyone",
    method: "GET",
    path: "/users/registration",
    summary: "Who can make an account: `open`, anyone; `invited`, those with an invitation; `closed`, no one.",
    input: fields({}),
    output: z.object({ mode: z.enum(registrationModes) }),
    done: "OK",
  }),
  register: call({
    access: "anyone",
    method: "POST",
    path: "/users/register",
    summary: "Creates an account; it does not sign in. With the secret of an invitation, it accepts that too.",
    input: form(fillIn, ["username", "email", "password", "password2"], {
      username: username(fillIn),
      email: emailField(fillIn),
      password: newPassword,
      password2: z.string(),
      invitation: invitationSecret.optional(),
    }),
    output: User,
    done: "Registered successfully",
    status: 201,
  }),
  update: call({
    access: "user",
    token: "never",
    method: "PUT",
    path: "/users",
    summary: "Changes the caller's username and email. Another email needs a confirmed session.",
    input: form(fillAll, ["username", "email"], { username: username(fillAll), email: emailField(fillAll) }),
    output: User,
    done: "User updated successfully",
  }),
  changePassword: call({
    access: "user",
    token: "never",
    method: "PUT",
    path: "/users/password",
    summary: "Sets a new password and ends the caller's other sessions.",
    input: form(fillAll, ["oldPassword", "password", "password2"], {
      oldPassword: password,
      password: newPassword,
      password2: z.string(),
    }),
    output: z.null(),
    done: "Password updated successfully",
  }),
  confirm: call({
    access: "user",
    token: "never",
    beforeFactor: true,
    method: "POST",
    path: "/users/me/confirm",
    summary:
      "Confirms with the password that the caller is still there. For 10 minutes, the session can make calls that ask for it.",
    input: form(fillIn, ["password"], { password }),
    output: z.null(),
    done: "Confirmed",
  }),
  deletion: call({
    access: "user",
    token: "never",
    method: "GET",
    path: "/users/me/deletion",
    summary: "What stands in the way of deleting the caller's account, and what is deleted with it.",
    input: fields({}),
    output: AccountDeletion,
    done: "OK",
  }),
  deleteAccount: call({
    access: "user",
    token: "never",
    method: "POST",
    path: "/users/me/delete",
    summary:
      "Deletes the caller's account, with its sessions, its tokens and its trash. Refused while it pays for a collection that is not in the trash, and for the last administrator.",
    input: form(fillAll, ["password"], { password }),
    output: z.null(),
    done: "Account deleted successfully",
  }),
  deleteAccountConfirmed: call({
    access: "user",
    token: "never",
    confirm: true,
    method: "POST",
    path: "/users/me/delete-confirmed",
    summary: "The same for an account without a password. Refused if it has one.",
    input: fields({}),
    output: z.null(),
    done: "Account deleted successfully",
  }),
  checkResetLink: call({
    access: "anyone",
    method: "POST",
    path: "/users/password/reset-link",
    summary: "Whether the token of a reset link can still be used. `npm run admin -- reset-link` makes one.",
    input: fields({ token: resetToken }),
    output: z.null(),
    done: "OK",
  }),
  resetPassword: call({
    access: "anyone",
    method: "POST",
    path: "/users/password/reset",
    summary:
      "Sets a new password with the token of a reset link, which works once, and ends all sessions of the account.",
    input: form(fillAll, ["password", "password2"], {
      token: resetToken,
      password: newPassword,
      password2: z.string(),
    }),
    output: z.null(),
    done: "Password updated successfully. Please log in with it",
  }),
}
