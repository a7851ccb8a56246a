import { z } from "zod"
import { addressRanges } from "./addresses.ts"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, id, name, shown, text } from "./text.ts"

/** What can be changed later. */
const changeable = {
  /** In ISO 8601. Null if it does not expire. */
  expiresAt: z.iso
    .datetime({ offset: true, error: "The expiry must be a time such as 2027-01-31T12:00:00Z" })
    .nullable()
    .optional(),
  /** Where the key can be used from. An empty list allows every address. */
  allowedAddresses: addressRanges.optional(),
  note: text({ label: "Note", max: limits.note }).optional(),
}

/** What the maker of a key decides. `access/key-holder.ts` of the server says where it is stored and what it forbids. */
const settings = { name: name("Name is required"), ...changeable }
type Settings = z.output<z.ZodObject<typeof settings>>
export type KeySettings = { [Setting in keyof Settings]-?: Exclude<Settings[Setting], undefined> }

export const ApiKey = z.object({
  id: z.number(),
  name: shown,
  /** Null if the stored row is damaged: the key still works but cannot be shown. */
  key: z.string().nullable(),
  subCollectionId: z.number(),
  /** When it was last used, to the minute, in ISO 8601. Null if never. */
  lastUsedAt: z.string().nullable(),
  /** The program, as it calls itself, and its network. Null if it does not say, and if never. */
  lastUsedBy: shown.nullable(),
  lastUsedFrom: z.string().nullable(),
  /** When it was last refused because it has expired, is disabled, or was used from another address. */
  lastRefusedAt: z.string().nullable(),
  createdAt: z.string(),
  /** Null if the account is deleted, and of keys from before this was recorded. */
  createdBy: z.object({ id: z.number(), name: shown }).nullable(),
  note: z.string(),
  allowedAddresses: z.array(z.string()),
  /** Null if it does not expire. */
  expiresAt: z.string().nullable(),
  /** By the server's clock. */
  isExpired: z.boolean(),
  /** Null if it can be used. */
  disabledAt: z.string().nullable(),
  /** The key that was made when this one was rolled. It may be deleted since. */
  replacedById: z.number().nullable(),
})
export type ApiKey = z.output<typeof ApiKey>

export const ListedApiKey = ApiKey.extend({ subCollectionName: shown, collectionName: shown })
export type ListedApiKey = z.output<typeof ListedApiKey>

/** The last use of a key. */
export const ApiKeyUse = z.object({
  /** To the minute, in ISO 8601. */
  at: z.string(),
  /** The program, as it calls itself: `curl/8.5.0`. Null if it does not say. */
  by: shown.nullable(),
  /** Its network, such as `203.0.113.0/24`. Null if it was used before this was recorded. */
  from: z.string().nullable(),
  /** By the server's clock. */
  secondsAgo: z.number(),
})
export type ApiKeyUse = z.output<typeof ApiKeyUse>

/** Why a key was refused. */
export const keyRefusals = ["expired", "disabled", "address"] as const
export type KeyRefusal = (typeof keyRefusals)[number]

export const usageDays = 30
export const refusalDays = 7

export const ApiKeyUsage = z.object({
  /** The last 30 days in UTC, today last. */
  days: z.array(z.object({ day: z.string(), reads: z.number() })),
  /** How often it was refused within the last 7 days, and for which reasons. */
  refused: z.object({
    count: z.number(),
    reasons: z.array(z.object({ reason: z.enum(keyRefusals), count: z.number() })),
    last: z
      .object({
        at: z.string(),
        /** The network. Empty for one of many. */
        from: z.string(),
      })
      .nullable(),
  }),
})
export type ApiKeyUsage = z.output<typeof ApiKeyUsage>

/** A network that a key was used from. */
const KeyNetwork = z.object({
  network: z.string(),
  /** The hour of the first read that is recorded, and the time of the last. */
  firstAt: z.string(),
  lastAt: z.string(),
  hours: z.number(),
  reads: z.number(),
  client: z.string(),
})

/** A value that a key could read. */
const LeakedName = z.object({
  name: z.string(),
  /** The environment that sets it. */
  environmentId: z.number(),
  environmentName: shown,
  /** `open`: the key could read what it is set to now. The others changed after the key had ended, or are gone. */
  state: z.enum(["open", "replaced", "removed"]),
  /** What it is called now, if it was renamed since. */
  renamedTo: z.string().nullable(),
  /** Whether the key was used while the value was there. */
  wasRead: z.boolean(),
})
export type LeakedName = z.output<typeof LeakedName>

export const KeyLeak = z.object({
  apiKey: ApiKey.omit({ key: true }),
  subCollectionName: shown,
  collectionId: z.number(),
  collectionName: shown,
  /** When it was disabled or has expired. Null while it can be used: until then it reads new values too. */
  endedAt: z.string().nullable(),
  /** The revisions that it could read while they were current. */
  revisions: z.object({ from: z.number(), to: z.number() }),
  reads: z.number(),
  /** The most recent first, at most 200. */
  networks: z.array(KeyNetwork),
  names: z.array(LeakedName),
})
export type KeyLeak = z.output<typeof KeyLeak>

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
  update: call({
    access: "user",
    level: "editor",
    method: "PUT",
    path: "/api-key/{id}",
    summary: "Changes when a key expires, from where it can be used, or its note; what is left out stays as it is.",
    input: fields({ id, ...changeable }).refine(
      ({ id: _, ...settings }) => Object.values(settings).some((setting) => setting !== undefined),
      "Choose what to change: expiresAt, allowedAddresses or note",
    ),
    output: ApiKey,
    done: "API Key saved successfully",
  }),
  disable: call({
    access: "user",
    level: "editor",
    method: "PUT",
    path: "/api-key/{id}/disabled",
    summary:
      "Disables or enables a key; a disabled one is refused from the next read on, on other nodes within a second.",
    input: fields({ id, isDisabled: z.boolean({ error: "Disabled must be true or false" }) }),
    output: ApiKey,
    done: "API Key saved successfully",
  }),
  roll: call({
    access: "user",
    level: "editor",
    method: "POST",
    path: "/api-key/{id}/roll",
    summary:
      "Makes a new key with the name, the settings and the lifetime of another one, which goes on for so many minutes under another name.",
    input: fields({
      id,
      overlapMinutes: z
        .int({ error: "The overlap must be a whole number of minutes" })
        .min(0, "The overlap cannot be negative")
        .max(limits.overlapMinutes, "The overlap can be at most 30 days"),
    }),
    output: ApiKey,
    done: "API Key rolled successfully",
  }),
  lastUse: call({
    access: "user",
    level: "editor",
    method: "GET",
    path: "/api-key/{id}/last-use",
    summary:
      "When, by which program and from where a key was last used; null if never. The first use shows within seconds.",
    input: fields({ id }),
    output: ApiKeyUse.nullable(),
    done: "OK",
  }),
  usage: call({
    access: "user",
    level: "editor",
    method: "GET",
    path: "/api-key/{id}/usage",
    summary: "How often a key was read on each of the last 30 days, and how often and why it was refused lately.",
    input: fields({ id }),
    output: ApiKeyUsage,
    done: "OK",
  }),
  leak: call({
    access: "user",
    level: "editor",
    method: "GET",
    path: "/api-key/{id}/leak",
    summary:
      "For a key that leaked: what it could read and did read, from where, and what has been replaced since it ended. No values.",
    input: fields({ id }),
    output: KeyLeak,
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
