import { type KeyInfo, sentences, type VariableFormat } from "@envkeep/contract"
import { formats, type Variable } from "@envkeep/formats"
import type { KeyCaller } from "../../access/caller.ts"
import { badKey, findHeldEnvironment, type HeldEnvironment } from "../../access/key-holder.ts"
import type { ChangeFeed } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import type { Core } from "../../db/core.ts"
import { withDeadline } from "../../db/deadline.ts"
import { isDamagedFile, isUnreachable, isUnwritable } from "../../db/faults.ts"
import type { Reader } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import { openSecret } from "../../keys/secrets.ts"
import type { Finished, Loaded } from "./finished.ts"
import type { LastUsed } from "./last-used.ts"
import type { Memory } from "./memory.ts"
import * as store from "./store.ts"

/** What reading needs: the memory, whether it may be trusted at this moment, and what notes that a key was used. */
export interface Reading {
  memory: Memory
  feed: Pick<ChangeFeed, "isHearing" | "isAway" | "rightUntil">
  lastUsed: LastUsed
  /** For how long a read is answered from memory while the database is away. */
  staleReadsMs: number
  counts: ReadCounts
}

/** Where answers came from. Plain numbers, since a read must not pay for being counted. */
export type ReadCounts = Record<Read["from"], number>

export interface Read {
  finished: Finished
  from: "memory" | "database" | "stale"
  /** Of a stale read: for how many seconds it could not be checked. */
  staleSeconds?: number
}

/** The environment's variables for the holder of a key. */
export async function readVariables(
  core: Core,
  reading: Reading,
  caller: KeyCaller,
  format: VariableFormat,
): Promise<Read> {
  const held = readFromMemory(reading, caller, format)
  if (held !== undefined) return held
  const read = await loadUnlessAway(reading, { caller, format }, () => load(core, reading.memory, caller, format))
  return counted(reading, caller, read)
}

/** What memory can answer at once: what it may be trusted with, or, while the database is away, what was last known. */
export function readFromMemory(reading: Reading, caller: KeyCaller, format: VariableFormat): Read | undefined {
  const { memory, feed } = reading
  const finished = feed.isHearing() ? memory.find(caller.keyHash, format) : undefined
  if (finished !== undefined) return counted(reading, caller, { finished, from: "memory" })
  const stale = feed.isAway() ? staleRead(reading, caller, format) : undefined
  return stale && counted(reading, caller, stale)
}

function counted({ lastUsed, counts }: Reading, { keyHash }: KeyCaller, read: Read): Read {
  lastUsed.note(keyHash)
  counts[read.from]++
  return read
}

function staleRead(
  { memory, feed, staleReadsMs }: Reading,
  { keyHash }: KeyCaller,
  format: VariableFormat,
): Read | undefined {
  const kept = memory.lastKnown(keyHash, format, feed.rightUntil())
  if (kept === undefined) return undefined
  const ageMs = steadyNow() - kept.rightAt
  if (ageMs >= staleReadsMs) return undefined
  return { finished: kept.finished, from: "stale", staleSeconds: Math.ceil(ageMs / 1000) }
}

const slowAfterMs = 1_000

/** Loads. If the database is away or gives no sign of life, what was last known is the answer. */
async function loadUnlessAway(
  reading: Reading,
  { caller, format }: { caller: KeyCaller; format: VariableFormat },
  load: () => Promise<Loaded>,
): Promise<Read> {
  const loading = reading.memory.load(caller.keyHash, format, load)
  for (;;) {
    try {
      const finished = await withDeadline(loading, slowAfterMs, () => undefined)
      if (finished !== undefined) return { finished, from: "database" }
    } catch (error) {
      const stale = isAway(error) ? staleRead(reading, caller, format) : undefined
      if (stale === undefined) throw error
      return stale
    }
    // A database that is merely slow is waited for.
    const stale = reading.feed.isHearing() ? undefined : staleRead(reading, caller, format)
    if (stale !== undefined) return stale
  }
}

function isAway(error: unknown): boolean {
  return isUnreachable(error) || isUnwritable(error) || isDamagedFile(error)
}

/** What `envkeep check` shows: what a key opens, without any value. */
export async function describeKey(db: Reader, caller: KeyCaller): Promise<KeyInfo> {
  const { keyName, environmentName, collectionName, revision } = await findHeldEnvironment(db, caller)
  return { name: keyName, environment: environmentName, collection: collectionName, revision }
}

async function load(core: Core, memory: Memory, caller: KeyCaller, format: VariableFormat): Promise<Loaded> {
  const held = await findHeldEnvironment(core.db, caller).catch((error: unknown) => {
    if (error instanceof AppError) memory.refused(caller.keyHash)
    throw error
  })
  const { holder, revision } = held
  const made = memory.recall(holder.environmentId, revision, format)
  return { holder, finished: made ?? (await finish(core, held, format)) }
}

async function finish(core: Core, { holder, wrappedKey }: HeldEnvironment, format: VariableFormat): Promise<Finished> {
  const { environmentId, collectionId } = holder
  const rows = await store.variableRows(core.db, holder)
  const [first] = rows
  if (first === undefined) throw badKey()
  const dataKey = await core.vault.dataKey(core.db, collectionId, wrappedKey)
  // Not one row's failure but all of them: an application must not start with an empty environment and call it success.
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
    // The environment's id is part of it, so that a reader who changes keys is never told that nothing changed.
    etag: `"${environmentId}-${revision}-${format}"`,
    body: Buffer.from(printed(variables, format)),
    damaged,
  }
}

/** What one format cannot hold, it refuses by name; another format may take it. */
function printed(variables: Variable[], format: VariableFormat): string {
  const outcome = formats[format].print(variables)
  if ("text" in outcome) return outcome.text
  const reasons = outcome.refused.slice(0, maxShownRefusals).map(({ name, reason }) => `${name} (${reason})`)
  const more = outcome.refused.length - reasons.length
  const list = more > 0 ? `${reasons.join(", ")} and ${more} more` : reasons.join(", ")
  throw new AppError("unprocessable", `The format ${format} cannot hold ${list}`)
}

const maxShownRefusals = 10
