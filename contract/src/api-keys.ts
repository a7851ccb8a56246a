import { z } from "zod"
import { call } from "./call.ts"
import { fields, id, name } from "./text.ts"

/** What the maker of a key decides. `access/key-holder.ts` of the server says where it is stored and what it forbids. */
const settings = { name: name("Name is required") }
export type KeySettings = z.output<z.ZodObject<typeof settings>>

export const ApiKey = z.object({
  id: z.number(),
  name: z.string(),
  /** Null if the stored row is damaged: the key still works but cannot be shown. */
  key: z.string().nullable(),
  subCollectionId: z.number(),
  /** When it was last used, to the minute, in ISO 8601. Null if never. */
  lastUsedAt: z.string().nullable(),
})
export type ApiKey = z.output<typeof ApiKey>

export const ListedApiKey = ApiKey.extend({ subCollectionName: z.string(), collectionName: z.string() })
export type ListedApiKey = z.output<typeof ListedApiKey>

/** The last use of a key. */
export const ApiKeyUse = z.object({
  /** To the minute, in ISO 8601. */
  at: z.string(),
  /** The program, as it calls itself: `curl/8.5.0`. Null if it does not say. */
  by: z.string().nullable(),
  /** By the server's clock. */
  secondsAgo: z.number(),
})
export type ApiKeyUse = z.output<typeof ApiKeyUse>

export const apiKeys = {
  list: call({
    access: "user",
    level: "editor",
    method: "GET",
    path: "/api-key",
    summary: "All of the caller's API keys, with the names of their environments and collections.",
    input: fields({}),
    output: z.array(ListedApiKey),
    done: "OK",
  }),
  create: call({
    access: "user",
    level: "editor",
    method: "POST",
    path: "/api-key",
    summary: "Creates a key that reads one environment.",
    input: fields({ ...settings, subCollectionId: id }),
    output: ApiKey,
    done: "API Key created successfully",
  }),
  lastUse: call({
    access: "user",
    level: "editor",
    method: "GET",
    path: "/api-key/{id}/last-use",
    summary: "When and by which program a key was last used; null if never. The first use shows within seconds.",
    input: fields({ id }),
    output: ApiKeyUse.nullable(),
    done: "OK",
  }),
  remove: call({
    access: "user",
    level: "editor",
    method: "DELETE",
    path: "/api-key/{id}",
    summary: "Deletes a key; the next read with it is refused, on other nodes within a second.",
    input: fields({ id }),
    output: z.null(),
    done: "API Key deleted successfully",
  }),
}
