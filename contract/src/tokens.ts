import { z } from "zod"
import { call, scopes } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, id, name, shown } from "./text.ts"

/** How many days a token can be valid. Without one of these it does not expire. */
export const tokenDays = [30, 90, 365] as const

export const Token = z.object({
  id: z.number(),
  name: shown,
  scope: z.enum(scopes),
  /** Null if it reaches all collections of its user. Those that were deleted since are not listed. */
  collections: z.array(z.object({ id: z.number(), name: shown })).nullable(),
  /** In ISO 8601. */
  createdAt: z.string(),
  /** Null if it does not expire. */
  expiresAt: z.string().nullable(),
  isExpired: z.boolean(),
  lastUse: z
    .object({
      /** To the minute, in ISO 8601. */
      at: z.string(),
      /** The program, as it calls itself: `curl/8.5.0`. Empty if it does not say. */
      by: shown,
      /** Its network, such as `203.0.113.0/24`. */
      from: z.string(),
    })
    .nullable(),
})
export type Token = z.output<typeof Token>

/** The only answer that has the token itself: the server keeps a hash. */
export const CreatedToken = Token.extend({ token: z.string() })
export type CreatedToken = z.output<typeof CreatedToken>

export const tokens = {
  list: call({
    access: "user",
    token: "never",
    method: "GET",
    path: "/users/me/tokens",
    summary: "The caller's personal tokens, the newest first.",
    input: fields({}),
    output: z.array(Token),
    done: "OK",
  }),
  create: call({
    access: "user",
    token: "never",
    confirm: true,
    method: "POST",
    path: "/users/me/tokens",
    summary:
      "Makes a personal token, which is sent as `Authorization: Bearer ept_…` instead of the cookie. It is shown once.",
    input: fields({
      name: name("Name is required"),
      scope: z.enum(scopes, { error: `The scope must be one of ${scopes.join(", ")}` }),
      days: z.literal(tokenDays, { error: `The days must be one of ${tokenDays.join(", ")}` }).optional(),
      collectionIds: z
        .array(id, { error: "Collections must be a list of ids" })
        .min(1, "Choose at least one collection")
        .max(limits.collectionsPerToken, `A token can be limited to at most ${limits.collectionsPerToken} collections`)
        .optional(),
    }),
    output: CreatedToken,
    done: "Token created successfully",
  }),
  revoke: call({
    access: "user",
    token: "never",
    method: "DELETE",
    path: "/users/me/tokens/{id}",
    summary: "Revokes one of the caller's tokens; the next request with it is refused, on every node.",
    input: fields({ id }),
    output: z.null(),
    done: "Token revoked successfully",
  }),
}
