import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, id, queried, shown, text } from "./text.ts"

/** What the list of accounts can be sorted by. */
export const accountSorts = ["username", "email", "lastSignIn", "collections", "items", "bytes"] as const
export type AccountSort = (typeof accountSorts)[number]

/** Which accounts the list shows. */
export const accountGroups = ["everyone", "admins", "disabled"] as const
export type AccountGroup = (typeof accountGroups)[number]

/** What administrators see of an account: how much it owns, but none of the names. */
export const AccountSummary = z.object({
  id: z.number(),
  username: shown,
  email: z.string(),
  isAdmin: z.boolean(),
  isDisabled: z.boolean(),
  /** An authenticator app or a passkey. */
  hasSecondFactor: z.boolean(),
  /** ISO 8601. */
  createdAt: z.string(),
  /** ISO 8601; null if not since this is recorded. */
  lastSignInAt: z.string().nullable(),
  /** Without what is in the trash. */
  collections: z.number(),
  items: z.number(),
  /** With the trash and the history, as its quota counts them. */
  bytes: z.number(),
})
export type AccountSummary = z.output<typeof AccountSummary>

const maxPage = 100_000
const wrongPage = { error: `A page must be a whole number from 1 to ${maxPage}` }

const oneAccount = fields({ id })

export const accounts = {
  list: call({
    access: "admin",
    token: "manage",
    method: "GET",
    path: "/admin/users",
    summary: `All accounts, ${limits.accountsPerPage} on a page. \`search\` finds a part of the username or the e-mail.`,
    input: fields({
      search: text({ label: "Search", max: limits.email }).optional(),
      show: z.enum(accountGroups, { error: `Show must be one of ${accountGroups.join(", ")}` }).optional(),
      sort: z.enum(accountSorts, { error: `Sort must be one of ${accountSorts.join(", ")}` }).optional(),
      order: z.enum(["asc", "desc"], { error: "Order must be asc or desc" }).optional(),
      page: queried(z.int(wrongPage).min(1, wrongPage).max(maxPage, wrongPage)).optional(),
    }),
    output: z.object({
      users: z.array(AccountSummary),
      /** How many match, on all pages. */
      total: z.number(),
    }),
    done: "OK",
  }),
  disable: call({
    access: "admin",
    token: "manage",
    method: "POST",
    path: "/admin/users/{id}/disable",
    summary: "Ends the account's sessions, and refuses its password and the API keys of what it shares with no one.",
    input: oneAccount,
    output: z.null(),
    done: "Account disabled",
  }),
  enable: call({
    access: "admin",
    token: "manage",
    method: "POST",
    path: "/admin/users/{id}/enable",
    summary: "Makes the account's password and its API keys work again.",
    input: oneAccount,
    output: z.null(),
    done: "Account enabled",
  }),
  endSessions: call({
    access: "admin",
    token: "manage",
    method: "POST",
    path: "/admin/users/{id}/end-sessions",
    summary:
      "Signs the account out everywhere, and ends its logins that are not finished yet. The caller's own current session stays.",
    input: oneAccount,
    output: z.null(),
    done: "Sessions ended",
  }),
  createResetLink: call({
    access: "admin",
    token: "never",
    confirm: true,
    method: "POST",
    path: "/admin/users/{id}/reset-link",
    summary: "Makes a link that sets a new password once: `/reset#` and the token. It replaces an earlier link.",
    input: oneAccount,
    output: z.object({
      token: z.string(),
      /** ISO 8601. */
      expiresAt: z.string(),
    }),
    done: "Reset link created",
  }),
  createFactorLink: call({
    access: "admin",
    token: "never",
    confirm: true,
    method: "POST",
    path: "/admin/users/{id}/factor-link",
    summary:
      "Makes a link for an account that has lost its second factor: `/lost-factor#` and the token. With it and the password, its holder logs in once, and all second factors are removed. It replaces an earlier link.",
    input: oneAccount,
    output: z.object({
      token: z.string(),
      /** ISO 8601. */
      expiresAt: z.string(),
    }),
    done: "Link created",
  }),
  grantAdmin: call({
    access: "admin",
    token: "never",
    confirm: true,
    method: "POST",
    path: "/admin/users/{id}/grant-admin",
    summary: "Makes the account an administrator.",
    input: oneAccount,
    output: z.null(),
    done: "The account is now an administrator",
  }),
  revokeAdmin: call({
    access: "admin",
    token: "never",
    method: "POST",
    path: "/admin/users/{id}/revoke-admin",
    summary: "Takes the administrator's rights from the account. The last administrator keeps them.",
    input: oneAccount,
    output: z.null(),
    done: "The account is no longer an administrator",
  }),
}
