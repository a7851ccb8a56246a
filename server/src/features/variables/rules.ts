import type { KeyInfo, VariableFormat } from "@envkeep/contract"
import type { KeyCaller } from "../../access/caller.ts"
import { findKeyEnvironment, type KeyEnvironment, type RefusedUse } from "../../access/key-holder.ts"
import type { Core } from "../../core/core.ts"
import type { ChangeFeed } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import { withDeadline } from "../../db/deadline.ts"
import { isDamagedFile, isUnreachable, isUnwritable } from "../../db/faults.ts"
import type { Reader } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import type { LookUp } from "../../http/text-answer.ts"
import type { InstanceTracker } from "../instances/tracker.ts"
import type { KeyRefusals } from "./key-refusals.ts"
import type { LastUsed } from "./last-used.ts"
import type { Memory } from "./memory.ts"
import { type Loaded, type ReadCondition, type Refused, type Rendered, wantsBody } from "./rendered.ts"
import type { Renderings } from "./renderings.ts"
import type { UnsentBodies } from "./unsent.ts"

/** What reading needs: the memory, whether it can be trusted right now, and where to note that a key was used. */
export interface Reading {
  memory: Memory
  renderings: Renderings
  unsent: UnsentBodies
  feed: Pick<ChangeFeed, "isInSync" | "isDatabaseDown" | "lastInSyncAt">
  lastUsed: LastUsed
  instances: Pick<InstanceTracker, "noteRead">
  refusals: KeyRefusals
  /** For how long reads are answered from memory while the database is down. */
  staleReadsMs: number
  counts: ReadCounts
}

/** Where answers came from. Plain numbers, because counting must not slow down a read. */
export type ReadCounts = Record<Read["from"], number>

export interface Read extends Loaded {
  from: "memory" | "database" | "stale"
  /** Of a stale read: how many seconds ago it was last known to be current. */
  staleSeconds?: number
}

interface WantedRead {
  caller: KeyCaller
  format: VariableFormat
  condition: ReadCondition
  lookUp: LookUp
}

/** The environment's variables for the holder of a key. Without their body if the condition makes it unnecessary. */
export async function readVariables(core: Core, reading: Reading, wanted: WantedRead): Promise<Read> {
  const { caller, format } = wanted
  const cached = readFromMemory(reading, caller, format)
  if (cached !== undefined) return cached
  const read = await loadOrLastKnown(reading, wanted, () => load(core, reading, wanted))
  return noteRead(reading, caller, read)
}

/** The environment's variables as they were at a revision. They are not kept in memory: old ones are rarely read. */
export async function readRevision(
  core: Core,
  reading: Reading,
  wanted: WantedRead & { revision: number },
): Promise<Read> {
  const loaded = await withEnvironment(core, reading, wanted, async (environment) =>
    unlessRefused(await reading.renderings.renderPast(environment, wanted)),
  )
  return noteRead(reading, wanted.caller, { ...loaded, from: "database" })
}

/** What memory can answer without a query: cached variables, or the last known ones while the database is down. */
export function readFromMemory(reading: Reading, caller: KeyCaller, format: VariableFormat): Read | undefined {
  const { memory, feed } = reading
  const found = feed.isInSync() ? memory.find(caller, format) : undefined
  if (found !== undefined) return noteRead(reading, caller, { ...found, from: "memory" })
  const stale = feed.isDatabaseDown() ? staleRead(reading, caller, format) : undefined
  return stale && noteRead(reading, caller, stale)
}

function noteRead({ lastUsed, instances, counts }: Reading, caller: KeyCaller, read: Read): Read {
  lastUsed.note(caller)
  instances.noteRead(caller, read)
  counts[read.from]++
  return read
}

function staleRead(
  { memory, feed, staleReadsMs }: Reading,
  caller: KeyCaller,
  format: VariableFormat,
): Read | undefined {
  const known = memory.lastKnown.find(caller, format, feed.lastInSyncAt())
  if (known === undefined) return undefined
  const ageMs = steadyNow() - known.lastCurrentAt
  if (ageMs >= staleReadsMs) return undefined
  const { holder, rendered } = known
  return { holder, rendered, from: "stale", staleSeconds: Math.ceil(ageMs / 1000) }
}

const slowAfterMs = 1_000

/** Loads from the database. If that is down or does not answer, the last known variables are the answer. */
async function loadOrLastKnown(
  reading: Reading,
  { caller, format, condition }: WantedRead,
  load: () => Promise<Loaded>,
): Promise<Read> {
  // With the address, which a key can be limited to: what one may read, another may not.
  const id = [format, caller.keyHash, caller.ip, condition.isHead, condition.ifNoneMatch].join(" ")
  const loading = reading.memory.load(id, load)
  for (;;) {
    try {
      const loaded = await withDeadline(loading, slowAfterMs, () => undefined)
      if (loaded !== undefined) return { ...loaded, from: "database" }
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
export async function describeKey(db: Reader, { refusals }: Reading, caller: KeyCaller): Promise<KeyInfo> {
  const found = await findKeyEnvironment(db, caller, refusals.note)
  const { keyName, environmentName, collectionName, revision } = found
  return { name: keyName, environment: environmentName, collection: collectionName, revision }
}

const recheckAfterMs = 200

function load(core: Core, reading: Reading, wanted: WantedRead): Promise<Loaded> {
  return withEnvironment(core, reading, wanted, (environment) => findOrRender(reading, environment, wanted))
}

async function withEnvironment(
  core: Core,
  reading: Reading,
  { caller, lookUp }: WantedRead,
  render: (environment: KeyEnvironment) => Promise<Loaded["rendered"]>,
): Promise<Loaded> {
  const startedAt = steadyNow()
  const findEnvironment = () => lookUp(() => findKeyEnvironment(core.db, caller, refused))
  const refused = (use: RefusedUse) => {
    reading.refusals.note(use)
    // From other addresses it still works: a thief must not take from them what they would get during an outage.
    if (use.reason !== "address") reading.memory.lastKnown.forgetKey(caller.keyHash)
  }
  const environment = await findEnvironment()
  const rendered = await render(environment)
  // It may have waited for its turn. A key that was deleted since then gets nothing.
  if (steadyNow() - startedAt > recheckAfterMs) await findEnvironment()
  if (environment.lastUsedAt === null) reading.lastUsed.noteFirst()
  return { holder: environment.holder, rendered }
}

async function findOrRender(
  { memory, renderings }: Reading,
  environment: KeyEnvironment,
  { format, condition }: WantedRead,
): Promise<Rendered> {
  const known = memory.findRevision(environment.holder.environmentId, environment.revision, format)
  const isEnough = known !== undefined && ("sentence" in known || "body" in known || !wantsBody(known, condition))
  if (isEnough) return unlessRefused(known)

  const result = await renderings.render(environment, format)
  if ("sentence" in result) memory.keep(result)
  return unlessRefused(result)
}

function unlessRefused(result: Rendered | Refused): Rendered {
  if ("sentence" in result) throw new AppError("unprocessable", result.sentence)
  return result
}
