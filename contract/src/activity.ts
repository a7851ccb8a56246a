import { z } from "zod"
import { call } from "./call.ts"
import { levels } from "./roles.ts"
import { fields, id, queried, shown } from "./text.ts"

/** What events can be filtered by. Each kind stands for the actions that begin with one of these words. */
export const activityKinds = {
  items: ["item", "items", "version", "name"],
  environments: ["environment", "history"],
  collections: ["collection", "trash"],
  people: ["member", "team", "invitation"],
  keys: ["api-key"],
  webhooks: ["webhook"],
  logins: ["session", "recovery-code"],
  accounts: ["account", "admin", "token", "totp", "recovery-codes", "passkey", "identity"],
  server: ["product", "audit", "root-key", "store"],
} as const
export type ActivityKind = keyof typeof activityKinds

const kindNames = Object.keys(activityKinds) as [ActivityKind, ...ActivityKind[]]

const Named = z.object({ id: z.number(), name: shown })

/** What happened. Names are those of that time; there is never a value. */
export const ActivityEvent = z.object({
  id: z.number(),
  /** ISO 8601. */
  at: z.string(),
  action: z.string(),
  /** Who did it. A guest and the server have neither id nor name. */
  actor: z.object({ kind: z.enum(["user", "guest", "key", "server"]), id: z.number().nullable(), name: shown }),
  /** The account that it happened to. */
  account: Named.nullable(),
  /** The network that the call came from, and what the program called itself; empty for the server. */
  address: z.string(),
  client: z.string(),
  collection: Named.nullable(),
  environment: Named.nullable(),
  key: Named.nullable(),
  team: Named.nullable(),
  /** The environment that items were copied from. */
  source: Named.nullable(),
  /** That was given to a member or team. */
  role: z.enum(levels).nullable(),
  /** The personal token that was made or revoked, or that it was done with. */
  token: z.string().nullable(),
  /** The host that a webhook sends to. */
  webhookHost: z.string().nullable(),
  /** Names of items, or of a passkey: at most 20 of `nameCount`. */
  names: z.array(z.string()),
  nameCount: z.number(),
  /** How many, such as refused logins. */
  counts: z.record(z.string(), z.number()),
  /** Its place in the chain; null in its first second. */
  position: z.number().nullable(),
})
export type ActivityEvent = z.output<typeof ActivityEvent>

/** The newest chained event. Write it down, and `npm run verify-audit -- --head` proves that nothing before it changed. */
export const AuditHead = z.object({ position: z.number(), mac: z.string() })
export type AuditHead = z.output<typeof AuditHead>

const Page = z.object({
  events: z.array(ActivityEvent),
  /** `before` of the next page; null on the last one. A page may have few events, or none, and still have a next one. */
  next: z.number().nullable(),
  head: AuditHead.nullable(),
})
export type ActivityPage = z.output<typeof Page>

/** How often a key was read from a network in an hour. */
export const KeyReads = z.object({
  id: z.number(),
  key: Named,
  environmentId: z.number(),
  address: z.string(),
  client: z.string(),
  /** When the hour began, and the last read in it, in ISO 8601. */
  hour: z.string(),
  lastAt: z.string(),
  reads: z.number(),
})
export type KeyReads = z.output<typeof KeyReads>

/** A day, or a time with its zone, as ISO 8601 writes them. */
const time = z
  .string()
  .refine(
    (text) =>
      /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/.test(text) &&
      !Number.isNaN(Date.parse(text)) &&
      isDay(text.slice(0, 10)),
    "A time must be written as 2026-01-31 or 2026-01-31T12:00:00Z",
  )
  .meta({ format: "date-time" })

/** JavaScript takes February 30 for March 2. */
function isDay(text: string): boolean {
  return new Date(text).toISOString().startsWith(text)
}

const filters = {
  kind: z.enum(kindNames, { error: `Kind must be one of ${kindNames.join(", ")}` }).optional(),
  personId: queried(id).optional(),
  since: time.optional(),
  until: time.optional(),
}
const inCollection = { ...filters, environmentId: queried(id).optional() }
const page = { before: queried(id).optional() }

const paged = "newest first, 50 at a time; `before` continues with `next` of the answer"
const asLines = "as JSON lines, newest first"

export const activity = {
  ofCollection: call({
    access: "user",
    level: "maintainer",
    method: "GET",
    path: "/collections/{id}/activity",
    summary: `What happened in the collection, ${paged}.`,
    input: fields({ id, ...inCollection, ...page }),
    output: Page,
    done: "OK",
  }),
  exportOfCollection: call({
    access: "user",
    level: "maintainer",
    method: "GET",
    path: "/collections/{id}/activity/export",
    summary: `What happened in the collection, ${asLines}.`,
    input: fields({ id, ...inCollection }),
    output: z.string(),
    done: "OK",
    plain: true,
  }),
  readsOfCollection: call({
    access: "user",
    level: "maintainer",
    method: "GET",
    path: "/collections/{id}/activity/reads",
    summary: "How often each key was read, by network and hour, newest first, 50 at a time; `before` continues.",
    input: fields({ id, ...page }),
    output: z.object({ reads: z.array(KeyReads), next: z.number().nullable() }),
    done: "OK",
  }),
  ofAccount: call({
    access: "user",
    token: "manage",
    method: "GET",
    path: "/users/me/activity",
    summary: `What the caller did, and what happened to the caller's account and keys, ${paged}.`,
    input: fields({ ...filters, ...page }),
    output: Page,
    done: "OK",
  }),
  exportOfAccount: call({
    access: "user",
    token: "manage",
    method: "GET",
    path: "/users/me/activity/export",
    summary: `The caller's activity ${asLines}.`,
    input: fields(filters),
    output: z.string(),
    done: "OK",
    plain: true,
  }),
  ofInstance: call({
    access: "admin",
    token: "manage",
    method: "GET",
    path: "/admin/activity",
    summary: `What happened on the server, without the names of collections, environments, items and keys, ${paged}.`,
    input: fields({ ...filters, ...page }),
    output: Page,
    done: "OK",
  }),
  exportOfInstance: call({
    access: "admin",
    token: "manage",
    method: "GET",
    path: "/admin/activity/export",
    summary: `What happened on the server, without those names, ${asLines}.`,
    input: fields(filters),
    output: z.string(),
    done: "OK",
    plain: true,
  }),
}
