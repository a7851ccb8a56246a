import { type KeyInfo, sentences, type VariableFormat } from "@envkeep/contract"
import { formats, type Variable } from "@envkeep/formats"
import type { KeyCaller } from "../../access/caller.ts"
import { badKey, findKeyEnvironment, type KeyEnvironment } from "../../access/key-holder.ts"
import type { ChangeFeed } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import type { Core } from "../../db/core.ts"
import { withDeadline } from "../../db/deadline.ts"
import { isDamagedFile, isUnreachable, isUnwritable } from "../../db/faults.ts"
import type { Reader } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import { openSecret } from "../../keys/secrets.ts"
import type { LastUsed } from "./last-used.ts"
import type { Memory } from "./memory.ts"
import type { Loaded, RenderedVariables } from "./rendered.ts"
import * as store from "./store.ts"

/** What reading needs: the memory, whether it can be trusted right now, and where to note that a key was used. */
export interface Reading {
  memory: Memory
  feed: Pick<ChangeFeed, "isInSync" | "isDatabaseDown" | "lastInSyncAt">
  lastUsed: LastUsed
  /** For how long reads are answered from memory while the database is down. */
  staleReadsMs: number
  counts: ReadCounts
}

/** Where answers came from. Plain numbers, because counting must not slow down a read. */
export type ReadCounts = Record<Read["from"], number>

export interface Read {
  rendered: RenderedVariables
  from: "memory" | "database" | "stale"
  /** Of a stale read: how many seconds ago it was last known to be current. */
  staleSeconds?: number
}

/** Does its work when it is the caller's turn to ask the database. */
type LookUp = <Result>(work: () => Promise<Result>) => Promise<Result>

/** The environment's variables for the holder of a key. */
export async function readVariables(
  core: Core,
  reading: Reading,
  { caller, format, lookUp }: { caller: KeyCaller; format: VariableFormat; lookUp: LookUp },
): Promise<Read> {
  const cached = readFromMemory(reading, caller, format)
  if (cached !== undefined) return cached
  const read = await loadOrLastKnown(reading, { caller, format }, () =>
    lookUp(() => load(core, reading.memory, caller, format)),
  )
  return noteRead(reading, caller, read)
}

/** What memory can answer without a query: cached variables, or the last known ones while the database is down. */
export function readFromMemory(reading: Reading, caller: KeyCaller, format: VariableFormat): Read | undefined {
  const { memory, feed } = reading
  const rendered = feed.isInSync() ? memory.find(caller.keyHash, format) : undefined
  if (rendered !== undefined) return noteRead(reading, caller, { rendered, from: "memory" })
  const stale = feed.isDatabaseDown() ? staleRead(reading, caller, format) : undefined
  return stale && noteRead(reading, caller, stale)
}

function noteRead({ lastUsed, counts }: Reading, { keyHash }: KeyCaller, read: Read): Read {
  lastUsed.note(keyHash)
  counts[read.from]++
  return read
}

function staleRead(
  { memory, feed, staleReadsMs }: Reading,
  { keyHash }: KeyCaller,
  format: VariableFormat,
): Read | undefined {
  const known = memory.lastKnown(keyHash, format, feed.lastInSyncAt())
  if (known === undefined) return undefined
  const ageMs = steadyNow() - known.lastCurrentAt
  if (ageMs >= staleReadsMs) return undefined
  return { rendered: known.rendered, from: "stale", staleSeconds: Math.ceil(ageMs / 1000) }
}

const slowAfterMs = 1_000

/** Loads from the database. If that is down or does not answer, the last known variables are the answer. */
async function loadOrLastKnown(
  reading: Reading,
  { caller, format }: { caller: KeyCaller; format: VariableFormat },
  load: () => Promise<Loaded>,
): Promise<Read> {
  const loading = reading.memory.load(caller.keyHash, format, load)
  for (;;) {
    try {
      const rendered = await withDeadline(loading, slowAfterMs, () => undefined)
      if (rendered !== undefined) return { rendered, from: "database" }
    } catch (error) {
      const stale = isOutage(error) ? staleRead(reading, caller, format) : undefined
      if (stale === undefined) throw error
      return stale
    }
    // A database that is only slow is worth waiting for.
    const stale = reading.feed.isInSync() ? undefined : staleRead(reading, caller, format)
    if (stale !== undefined) return stale
  }
}

function isOutage(error: unknown): boolean {
  return isUnreachable(error) || isUnwritable(error) || isDamagedFile(error)
}

/** For `envkeep check`: what a key opens, without any value. */
export async function describeKey(db: Reader, caller: KeyCaller): Promise<KeyInfo> {
  const { keyName, environmentName, collectionName, revision } = await findKeyEnvironment(db, caller)
  return { name: keyName, environment: environmentName, collection: collectionName, revision }
}

async function load(core: Core, memory: Memory, caller: KeyCaller, format: VariableFormat): Promise<Loaded> {
  const environment = await findKeyEnvironment(core.db, caller).catch((error: unknown) => {
    if (error instanceof AppError) memory.forgetKey(caller.keyHash)
    throw error
  })
  const { holder, revision } = environment
  const rendered = memory.findRevision(holder.environmentId, revision, format)
  return { holder, rendered: rendered ?? (await render(core, environment, format)) }
}

async function render(
  core: Core,
  { holder, wrappedKey }: KeyEnvironment,
  format: VariableFormat,
): Promise<RenderedVariables> {
  const { environmentId, collectionId } = holder
  const rows = await store.variableRows(core.db, holder)
  const [first] = rows
  if (first === undefined) throw badKey()
  const dataKey = await core.vault.dataKey(core.db, collectionId, wrappedKey)
  // Every value is lost, not just one: an application must not start with an empty environment.
  if (dataKey === undefined) throw new AppError("unprocessable", sentences.collectionKeyDamaged)
  const variables: Variable[] = []
  const damaged: string[] = []
  for (const { name, sealedValue } of rows) {
    if (name === null || sealedValue === null) continue
    const value = openSecret(dataKey, sealedValue, { kind: "item", environmentId, name })
    if (value === null) damaged.push(name)
    else variables.push({ name, value })
  }
  const { revision } = first
  return {
    environmentId,
    collectionId,
    revision,
    format,
    // The environment's id is part of it, so that a reader whose key now opens another environment gets no 304.
    etag: `"${environmentId}-${revision}-${format}"`,
    body: Buffer.from(printOrRefuse(variables, format)),
    damaged,
  }
}

/** A variable that does not fit the format is refused by name; another format may take it. */
function printOrRefuse(variables: Variable[], format: VariableFormat): string {
  const outcome = formats[format].print(variables)
  if ("text" in outcome) return outcome.text
  const reasons = outcome.refused.slice(0, maxShownRefusals).map(({ name, reason }) => `${name} (${reason})`)
  const more = outcome.refused.length - reasons.length
  const list = more > 0 ? `${reasons.join(", ")} and ${more} more` : reasons.join(", ")
  throw new AppError("unprocessable", `The format ${format} cannot hold ${list}`)
}

const maxShownRefusals = 10
