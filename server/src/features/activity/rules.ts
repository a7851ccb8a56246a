import {
  type ActivityEvent,
  type ActivityPage,
  type activity,
  type InputOf,
  levels,
  type OutputOf,
} from "@envkeep/contract"
import type { Member, UserCaller } from "../../access/caller.ts"
import { refuseOutOfReach } from "../../access/out-of-reach.ts"
import { readHead } from "../../audit/chain.ts"
import type { EventRow } from "../../audit/encode.ts"
import { pagesFrom } from "../../bounds/batches.ts"
import type { Core } from "../../core/core.ts"
import type { Reader } from "../../db/schema.ts"
import { dayMs } from "../../durations.ts"
import { isoTime } from "../../iso-time.ts"
import * as store from "./store.ts"

const perPage = 50
const perExportBatch = 500
const newest = Number.MAX_SAFE_INTEGER

/** A filter that fits few events is answered after so many, with where to go on. */
const eventsPerStretch = 5_000
const stretchesPerPage = 10

type Filters = Omit<InputOf<typeof activity.exportOfCollection>, "id">

export async function collectionActivity(
  { db }: Core,
  caller: Member,
  { id, before, ...filters }: InputOf<typeof activity.ofCollection>,
): Promise<ActivityPage> {
  await refuseOutOfReach(db, caller, id)
  return firstPage(db, { kind: "collection", caller, id }, filters, before)
}

export async function exportCollection(
  { db }: Core,
  caller: Member,
  { id, ...filters }: InputOf<typeof activity.exportOfCollection>,
): Promise<AsyncIterable<string>> {
  await refuseOutOfReach(db, caller, id)
  return lines(db, { kind: "collection", caller, id }, filters)
}

export function accountActivity(
  { db }: Core,
  { userId }: UserCaller,
  { before, ...filters }: InputOf<typeof activity.ofAccount>,
): Promise<ActivityPage> {
  return firstPage(db, { kind: "account", userId }, filters, before)
}

export function exportAccount(
  { db }: Core,
  { userId }: UserCaller,
  filters: InputOf<typeof activity.exportOfAccount>,
): AsyncIterable<string> {
  return lines(db, { kind: "account", userId }, filters)
}

export function instanceActivity(
  { db }: Core,
  { before, ...filters }: InputOf<typeof activity.ofInstance>,
): Promise<ActivityPage> {
  return firstPage(db, { kind: "instance" }, filters, before)
}

export function exportInstance(
  { db }: Core,
  filters: InputOf<typeof activity.exportOfInstance>,
): AsyncIterable<string> {
  return lines(db, { kind: "instance" }, filters)
}

export async function collectionReads(
  { db }: Core,
  caller: Member,
  { id, before = newest }: InputOf<typeof activity.readsOfCollection>,
): Promise<OutputOf<typeof activity.readsOfCollection>> {
  await refuseOutOfReach(db, caller, id)
  const rows = await store.keyReadRows(db, caller, { id, before, maxRows: perPage + 1 })
  const reads = rows.slice(0, perPage).map((row) => ({
    id: row.id,
    key: { id: row.api_key_id, name: row.api_key_name },
    environmentId: row.environment_id,
    address: row.address,
    client: row.client,
    hour: isoTime(row.hour_at),
    lastAt: isoTime(row.last_at),
    reads: row.reads,
  }))
  return { reads, next: rows.length > perPage ? (reads.at(-1)?.id ?? null) : null }
}

async function firstPage(
  db: Reader,
  scope: store.ActivityScope,
  filters: Filters,
  before = newest,
): Promise<ActivityPage> {
  const { rows, next } = await readPage(db, scope, toFilter(filters), { before, count: perPage })
  return { events: rows.map((row) => toEvent(row, scope)), next, head: (await readHead(db)) ?? null }
}

/** Batch by batch, as the reader takes them. */
async function* lines(db: Reader, scope: store.ActivityScope, filters: Filters): AsyncGenerator<string> {
  const filter = toFilter(filters)
  const pages = pagesFrom(newest, (before) => readPage(db, scope, filter, { before, count: perExportBatch }))
  for await (const { rows } of pages) {
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(toEvent(row, scope))}\n`).join("")
  }
}

interface Page {
  rows: EventRow[]
  /** Null if there are no more. */
  next: number | null
}

async function readPage(
  db: Reader,
  scope: store.ActivityScope,
  filter: store.ActivityFilter,
  { before, count }: { before: number; count: number },
): Promise<Page> {
  const stretch = await store.stretchOf(db, filter, { after: 0, before })
  if (stretch === undefined) return { rows: [], next: null }
  const { after } = stretch
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const rows: EventRow[] = []
  const stretches = pagesFrom(stretch.before, async (before) => {
    const end = isFiltered ? await store.stretchEnd(db, scope, { after, before }, eventsPerStretch) : undefined
    const some = { ...filter, after: end === undefined ? after : end - 1, before }
    rows.push(...(await store.eventRows(db, scope, some, count + 1 - rows.length)))
    return { next: end ?? null }
  })
  let stretchesLeft = stretchesPerPage
  for await (const { next } of stretches) {
    if (rows.length > count) break
    if (next === null || --stretchesLeft === 0) return { rows, next }
  }
  return { rows: rows.slice(0, count), next: rows[count - 1]?.id ?? null }
}

/** A day as the end of a time includes that day. */
function toFilter({ kind, personId, environmentId, since, until }: Filters): store.ActivityFilter {
  const end = until === undefined ? undefined : Date.parse(until) + (until.includes("T") ? 0 : dayMs)
  return { kind, personId, environmentId, since: since === undefined ? undefined : Date.parse(since), until: end }
}

interface Details {
  token?: string
  names?: string[]
  nameCount?: number
  teamId?: number
  teamName?: string
  sourceId?: number
  sourceName?: string
  role?: ActivityEvent["role"]
  webhookHost?: string
  [count: string]: unknown
}

/** Administrators see what happened, but not the names of what belongs to other people. */
function toEvent(row: EventRow, scope: store.ActivityScope): ActivityEvent {
  const isShown = scope.kind !== "instance"
  // Who was added to a collection learns by whom, but not from where.
  const isFromOther = scope.kind === "account" && row.actor === "user" && row.actor_id !== scope.userId
  const {
    names = [],
    nameCount = 0,
    teamId = null,
    teamName = "",
    sourceId = null,
    sourceName = "",
    role = null,
    token,
    webhookHost,
    ...counts
  } = parsedDetails(row.details)
  const named = (id: number | null, name: string) => (id === null || !isShown ? null : { id, name })
  const actor = row.actor as ActivityEvent["actor"]["kind"]
  return {
    id: row.id,
    at: isoTime(row.created_at),
    action: row.action,
    actor: { kind: actor, id: row.actor_id, name: actor === "key" && !isShown ? "" : row.actor_name },
    account: row.account_id === null ? null : { id: row.account_id, name: row.account_name },
    address: isFromOther ? "" : row.address,
    client: isFromOther ? "" : row.client,
    collection: named(row.collection_id, row.collection_name),
    environment: named(row.environment_id, row.environment_name),
    key: named(row.api_key_id, row.api_key_name),
    team: named(teamId, teamName),
    source: named(sourceId, sourceName),
    role,
    token: isShown ? (token ?? null) : null,
    webhookHost: isShown ? (webhookHost ?? null) : null,
    names: isShown ? names : [],
    nameCount,
    counts: counts as Record<string, number>,
    position: row.position,
  }
}

/** A row that was changed by hand must not hide the others. */
function parsedDetails(details: string): Details {
  try {
    const parsed: unknown = JSON.parse(details)
    return typeof parsed === "object" && parsed !== null ? numbersAndNames(parsed) : {}
  } catch {
    return {}
  }
}

function numbersAndNames(parsed: object): Details {
  const { names, teamName, sourceName, role, token: tokenName, webhookHost, ...rest } = parsed as Details
  const isNames = Array.isArray(names) && names.every((name) => typeof name === "string")
  const counts = Object.entries(rest).filter(([, value]) => typeof value === "number")
  return {
    ...Object.fromEntries(counts),
    ...(isNames ? { names } : {}),
    ...(typeof teamName === "string" ? { teamName } : {}),
    ...(typeof sourceName === "string" ? { sourceName } : {}),
    role: levels.find((level) => level === role) ?? null,
    ...(typeof tokenName === "string" ? { token: tokenName } : {}),
    ...(typeof webhookHost === "string" ? { webhookHost } : {}),
  }
}
