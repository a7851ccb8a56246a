import {
  type InputOf,
  type Instance,
  type InstanceCount,
  type instances,
  limits,
  type OutputOf,
} from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { outOfReach, refuseOutOfReach } from "../../access/out-of-reach.ts"
import { byParents, deleteInBatches, readBatches } from "../../bounds/batches.ts"
import type { Core } from "../../core/core.ts"
import type { Reader } from "../../db/schema.ts"
import { dayMs, minuteMs, secondMs } from "../../durations.ts"
import { isoTime } from "../../iso-time.ts"
import * as store from "./store.ts"

/** A short piece of work on the thread. */
const rowsPerRead = 500

export function listInstances(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof instances.list>,
): Promise<OutputOf<typeof instances.list>> {
  return core.snapshot(async (snapshot) => {
    const revision = await store.environmentRevision(snapshot, caller, id)
    if (revision === undefined) throw await outOfReach(snapshot, caller, { environmentId: id })
    const now = Date.now()
    const stateOf = (row: store.InstanceRow) =>
      row.gone_at <= now ? "gone" : row.revision >= revision ? "current" : "behind"
    const counts = { current: 0, behind: 0, gone: 0 }
    let first: store.InstanceRow[] = []
    const batches = readBatches(rowsPerRead, (last: store.InstanceRow | undefined) =>
      store.instanceRows(snapshot, caller, id, { last, maxRows: rowsPerRead }),
    )
    for await (const rows of batches) {
      for (const row of rows) counts[stateOf(row)]++
      first = first.concat(rows).sort(inOrderAt(revision, now)).slice(0, limits.listedInstances)
    }
    const { current, behind, gone } = counts
    const listed = first.map((row) => toInstance(row, stateOf(row)))
    return { revision, running: current + behind, current, gone, instances: listed }
  })
}

/** First those that are behind, then the current ones, then those that are gone. */
function inOrderAt(revision: number, now: number) {
  const rankOf = (row: store.InstanceRow) => (row.gone_at <= now ? 2 : 0) + (row.revision >= revision ? 1 : 0)
  return (one: store.InstanceRow, other: store.InstanceRow) =>
    rankOf(one) - rankOf(other) || (one.label === other.label ? one.id - other.id : one.label < other.label ? -1 : 1)
}

export function countInstances(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof instances.count>,
): Promise<InstanceCount[]> {
  return core.snapshot(async (snapshot) => {
    await refuseOutOfReach(snapshot, caller, id)
    return store.countInstances(snapshot, caller, id, Date.now())
  })
}

/** Some may have ten thousand programs each. */
const collectionsPerRead = 20

/** What runs with the environments of these collections, for open screens: each is shown what its role allows. */
export async function runningIn(
  db: Reader,
  collectionIds: readonly number[],
): Promise<Map<number, store.RunningRow[]>> {
  const rows = await byParents(collectionIds, collectionsPerRead, (some) => store.runningRows(db, some, Date.now()))
  return Map.groupBy(rows, ({ collectionId }) => collectionId)
}

function toInstance(row: store.InstanceRow, state: Instance["state"]): Instance {
  return {
    id: row.id,
    label: row.label,
    state,
    revision: row.revision,
    since: isoTime(row.since_at),
    firstSeenAt: isoTime(row.first_seen_at),
    lastSeenAt: isoTime(row.seen_at),
    isWatching: row.is_watching === 1 && state !== "gone",
    keyName: row.keyName,
    client: row.client,
    address: row.address,
  }
}

/** Then its row is purged. */
export const keepGoneMs = dayMs

/** How a program reads. */
export interface Habits {
  /** Those that are too close together count as one. */
  reads: number
  lastReadAt: number
  /** Between the last two reads. */
  pauseMs: number
  /** How many are open. */
  streams: number
  hasWatched: boolean
}

export const noHabits: Habits = { reads: 0, lastReadAt: 0, pauseMs: 0, streams: 0, hasWatched: false }
/** A program that starts may read several times at once. */
const sameReadMs = 10 * secondMs
/** With so many reads a program is taken to read again and again. With fewer it may just have started. */
const readsOfPoller = 3

export function countRead(habits: Habits, at: number): void {
  if (at - habits.lastReadAt < sameReadMs) return
  if (habits.lastReadAt > 0) habits.pauseMs = at - habits.lastReadAt
  habits.lastReadAt = at
  habits.reads++
}

/** When a program counts as gone. One that reads every hour is gone after three. One that has read once gets a day. */
export function goneAt(seenAt: number, { streams, hasWatched, reads, pauseMs }: Habits): number {
  if (streams > 0) return seenAt + 150 * secondMs
  if (hasWatched) return seenAt + 2 * minuteMs
  // It may run for long.
  if (reads < readsOfPoller) return seenAt + dayMs
  return seenAt + Math.min(dayMs, Math.max(10 * minuteMs, 3 * pauseMs))
}

const rowsPerBatch = 500

/**
 * For a key that is about to be deleted. Its row takes its instances with it in one statement, so if they are many, they go
 * before it. If the key stays after all, their next reads bring them back.
 */
export async function deleteManyOfKey(core: Core, apiKeyId: number): Promise<void> {
  if (!(await store.hasInstances(core.db, apiKeyId, rowsPerBatch))) return
  const deleteSome = () => core.bookkeep((tx) => store.deleteSomeOfKey(tx, apiKeyId, rowsPerBatch))
  await deleteInBatches(rowsPerBatch, deleteSome)
}
