import { type KeyInfo, sentences, type VariableFormat } from "@envkeep/contract"
import { formats, type Variable } from "@envkeep/formats"
import { steadyNow } from "../../clock.ts"
import { hashToken } from "../../crypto/token.ts"
import { openSecret, type Vault } from "../../crypto/vault.ts"
import type { ChangeFeed } from "../../db/change-feed.ts"
import { isDamagedFile, isUnreachable, isUnwritable } from "../../db/faults.ts"
import type { Db } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import type { LastUsed } from "./last-used.ts"
import type { Finished, Memory } from "./memory.ts"
import * as store from "./store.ts"

/** What reading needs: the memory, whether it may be trusted at this moment, and who notes that a key was used. */
export interface Reading {
  memory: Memory
  feed: Pick<ChangeFeed, "isHearing" | "isAway" | "rightUntil">
  lastUsed: LastUsed
  /** For how long a read is answered from memory while the database is away. */
  staleReadsMs: number
  counts: ReadCounts
}

/** Where answers came from. Plain numbers, since a read must not pay for being counted. */
export interface ReadCounts {
  /** From memory, before the router: sent, and not sent because the reader had it. */
  quick: number
  quickUnchanged: number
  /** Of these two, those that had to do while the database was away. */
  quickStale: number
  /** The long way. */
  memory: number
  database: number
  stale: number
}

export function newReadCounts(): ReadCounts {
  return { quick: 0, quickUnchanged: 0, quickStale: 0, memory: 0, database: 0, stale: 0 }
}

export interface Read {
  finished: Finished
  /** Set while the database is away: for how many seconds nobody has known whether this is still right. */
  staleSeconds?: number
}

interface Asked {
  key: string
  format: VariableFormat
}

/**
 * The environment's variables for the holder of a key. A key that is malformed, deleted or was never made costs the same
 * and gets the same answer.
 */
export async function readVariables(db: Db, vault: Vault, reading: Reading, { key, format }: Asked): Promise<Read> {
  const { memory, feed, lastUsed, counts } = reading
  const keyHash = hashToken(key)
  const known = feed.isHearing() ? memory.find(keyHash, format) : undefined
  const read =
    known === undefined
      ? await unlessAway(reading, { keyHash, format }, () => load(db, vault, memory, { keyHash, format }))
      : { finished: known }
  lastUsed.note(keyHash)
  if ("staleSeconds" in read) counts.stale++
  else counts[known === undefined ? "database" : "memory"]++
  return read
}

/** What the holder of a key was last sent, while that is not too long ago. */
export function staleRead({ memory, feed, staleReadsMs }: Reading, keyHash: string, format: VariableFormat) {
  const kept = memory.lastKnown(keyHash, format, feed.rightUntil())
  if (kept === undefined) return undefined
  const age = steadyNow() - kept.rightAt
  return age < staleReadsMs ? { finished: kept.finished, staleSeconds: Math.ceil(age / 1000) } : undefined
}

const patienceMs = 1_000

/** Loads; where the database is away or no longer gives a sign of life, what is in memory has to do. */
async function unlessAway(
  reading: Reading,
  { keyHash, format }: { keyHash: string; format: VariableFormat },
  load: () => Promise<Finished>,
): Promise<Read> {
  const loading = reading.memory.load(keyHash, format, load)
  for (;;) {
    try {
      const finished = await within(patienceMs, loading)
      if (finished !== undefined) return { finished }
    } catch (error) {
      const stale = isAway(error) ? staleRead(reading, keyHash, format) : undefined
      if (stale === undefined) throw error
      return stale
    }
    // A database that is merely slow is waited for.
    const stale = reading.feed.isHearing() ? undefined : staleRead(reading, keyHash, format)
    if (stale !== undefined) return stale
  }
}

function within<Result>(ms: number, promise: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function isAway(error: unknown): boolean {
  return isUnreachable(error) || isUnwritable(error) || isDamagedFile(error)
}

/** What `envkeep check` shows: where a key leads, without any value. */
export async function describeKey(db: Db, key: string): Promise<KeyInfo> {
  const holder = await store.environmentOfKey(db, hashToken(key))
  if (holder === undefined) throw badKey()
  const { name, environment, collection, revision } = holder
  return { name, environment, collection, revision }
}

async function load(
  db: Db,
  vault: Vault,
  memory: Memory,
  { keyHash, format }: { keyHash: string; format: VariableFormat },
): Promise<Finished> {
  const holder = await store.environmentOfKey(db, keyHash)
  if (holder === undefined) {
    memory.refused(keyHash)
    throw badKey()
  }
  const { environmentId, collectionId } = holder
  const made = memory.recall(environmentId, holder.revision, format)
  if (made !== undefined) return made

  const rows = await store.variableRows(db, keyHash)
  const [first] = rows
  if (first === undefined) throw badKey()
  const dataKey = await vault.dataKey(db, collectionId, holder.wrappedKey)
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
  const reasons = outcome.refused.slice(0, shownRefusals).map(({ name, reason }) => `${name} (${reason})`)
  const more = outcome.refused.length - reasons.length
  const list = more > 0 ? `${reasons.join(", ")} and ${more} more` : reasons.join(", ")
  throw new AppError("unprocessable", `The format ${format} cannot hold ${list}`)
}

const shownRefusals = 10

export function badKey(): AppError {
  return new AppError("unauthenticated", sentences.badApiKey)
}
