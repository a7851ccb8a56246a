import type { CallerInstance, KeyCaller } from "../../access/caller.ts"
import { networkOf } from "../../access/network.ts"
import { programOf } from "../../access/program.ts"
import { nextTurn } from "../../bounds/turns.ts"
import type { Door } from "../../db/core.ts"
import * as store from "./store.ts"

/** Remembers which programs read with keys, and which revision each of them got. A job saves it for all together. */
export interface InstanceTracker {
  noteRead(caller: KeyCaller, instance: CallerInstance, read: { environmentId: number; revision: number }): void
  /** The caller is told of changes from now on, until the returned function is called. */
  watches(caller: KeyCaller, environmentId: number): () => void
  flush(): Promise<void>
  size(): number
}

interface Tracked {
  keyHash: string
  label: string
  process: string
  client: string
  address: string
  environmentId: number
  revision: number
  sinceAt: number
  firstSeenAt: number
  seenAt: number
  savedAt: number
  /** Reads that are too close together count as one. */
  reads: number
  lastReadAt: number
  /** Between the last two reads. */
  pauseMs: number
  streams: number
  hasWatched: boolean
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** A program that starts may read several times at once. */
const sameReadMs = 10 * secondMs
/** With so many reads a program is taken to read again and again. With fewer it may just have started. */
const readsOfPoller = 3
/** When a program that is not seen again counts as gone. */
const goneAfterMs = { watching: 150 * secondMs, watched: 2 * minuteMs, poller: 10 * minuteMs, other: 24 * hourMs }
/** That a program was seen again is saved this often. What it holds is saved at once. */
const saveSeenEveryMs = minuteMs
const sweepEveryMs = 30 * secondMs

/** Anyone with a key can send any number of labels. */
const maxTracked = 50_000
const maxPerKey = 10_000
const maxReaders = 10_000
const rowsPerBatch = 250

export function createInstanceTracker(door: Door, now: () => number = Date.now): InstanceTracker {
  /** Those that have read since the last collection. */
  let readers: KeyCaller[] = []
  const tracked = new Map<string, Tracked>()
  const countOfKey = new Map<string, number>()
  let unsaved = new Set<Tracked>()
  let sweptAt = 0

  /** All that a read costs. */
  function noteRead(caller: KeyCaller, instance: CallerInstance, read: { environmentId: number; revision: number }) {
    instance.environmentId = read.environmentId
    instance.revision = read.revision
    if (instance.hasRead) return
    instance.hasRead = true
    if (readers.push(caller) >= maxReaders) collect()
  }

  function collect(): void {
    const at = now()
    const some = readers
    readers = []
    for (const caller of some) {
      const { instance } = caller
      if (instance === undefined) continue
      instance.hasRead = false
      const one = find(caller, instance, at)
      if (one === undefined) continue
      if (at - one.lastReadAt >= sameReadMs) {
        one.reads++
        if (one.lastReadAt > 0) one.pauseMs = at - one.lastReadAt
        one.lastReadAt = at
      }
      saw(one, instance, at)
    }
  }

  /** Undefined if there are too many. */
  function find(caller: KeyCaller, { label, process, environmentId, revision }: CallerInstance, at: number) {
    const id = `${caller.keyHash} ${process} ${label}`
    const known = tracked.get(id)
    if (known !== undefined) return known
    const ofKey = countOfKey.get(caller.keyHash) ?? 0
    if (tracked.size >= maxTracked || ofKey >= maxPerKey) return undefined
    const { keyHash, address, client } = caller
    const one: Tracked = {
      keyHash,
      label,
      process,
      client: programOf(client) ?? "",
      address: networkOf(address),
      environmentId,
      revision,
      sinceAt: at,
      firstSeenAt: at,
      seenAt: at,
      savedAt: 0,
      reads: 0,
      lastReadAt: 0,
      pauseMs: 0,
      streams: 0,
      hasWatched: false,
    }
    tracked.set(id, one)
    countOfKey.set(keyHash, ofKey + 1)
    return one
  }

  function saw(one: Tracked, { environmentId, revision }: CallerInstance, at: number): void {
    one.seenAt = at
    const isNew = one.revision !== revision || one.environmentId !== environmentId
    if (isNew) Object.assign(one, { environmentId, revision, sinceAt: at })
    if (isNew || at - one.savedAt >= saveSeenEveryMs) unsaved.add(one)
  }

  function watches(caller: KeyCaller, environmentId: number): () => void {
    const { instance } = caller
    if (instance === undefined) return () => undefined
    // What it has read before is known better than what it says.
    const held = { ...instance, environmentId }
    const one = find(caller, held, now())
    if (one === undefined) return () => undefined
    if (held.revision === 0) held.revision = one.revision
    one.streams++
    one.hasWatched = true
    saw(one, held, now())
    unsaved.add(one)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      one.streams--
      one.seenAt = now()
      unsaved.add(one)
    }
  }

  async function flush(): Promise<void> {
    collect()
    sweep()
    if (unsaved.size === 0) return
    const all = [...unsaved]
    unsaved = new Set()
    for (let start = 0; start < all.length; start += rowsPerBatch) {
      try {
        await save(all.slice(start, start + rowsPerBatch))
      } catch (error) {
        for (const one of all.slice(start)) unsaved.add(one)
        throw error
      }
      await nextTurn()
    }
  }

  /** Watchers are seen for as long as they are connected. What is gone is forgotten here; its row stays for a while. */
  function sweep(): void {
    const at = now()
    if (at - sweptAt < sweepEveryMs) return
    sweptAt = at
    for (const [id, one] of tracked) {
      if (one.streams > 0) {
        one.seenAt = at
        if (at - one.savedAt >= saveSeenEveryMs) unsaved.add(one)
      } else if (goneAt(one) <= at && !unsaved.has(one)) forget(id, one)
    }
  }

  function forget(id: string, { keyHash }: Tracked): void {
    tracked.delete(id)
    const left = (countOfKey.get(keyHash) ?? 1) - 1
    if (left > 0) countOfKey.set(keyHash, left)
    else countOfKey.delete(keyHash)
  }

  async function save(batch: readonly Tracked[]): Promise<void> {
    const at = now()
    const keyIds = await store.keyIds(door.db, [...new Set(batch.map(({ keyHash }) => keyHash))])
    const rows = batch.flatMap((one) => {
      const keyId = keyIds.get(one.keyHash)
      return keyId === undefined ? [] : [toRow(one, keyId)]
    })
    const isFirst = new Set(batch.filter(({ savedAt }) => savedAt === 0).map(({ process }) => process))
    await door.bookkeep(async (tx) => {
      await store.removeReplaced(
        tx,
        rows.filter(({ is_once, process }) => is_once === 1 && isFirst.has(process)),
      )
      await store.saveInstances(tx, rows)
    })
    for (const one of batch) one.savedAt = at
  }

  return { noteRead, watches, flush, size: () => tracked.size }
}

function toRow(one: Tracked, keyId: number): store.SavedInstance {
  return {
    api_key_id: keyId,
    environment_id: one.environmentId,
    label: one.label,
    process: one.process,
    client: one.client,
    address: one.address,
    revision: one.revision,
    since_at: one.sinceAt,
    first_seen_at: one.firstSeenAt,
    seen_at: one.seenAt,
    is_watching: one.streams > 0 ? 1 : 0,
    is_once: one.hasWatched || one.reads > 1 ? 0 : 1,
    gone_at: goneAt(one),
  }
}

/** A program that reads every hour is gone after three. One that has read once may run for long: it gets a day. */
function goneAt({ seenAt, streams, hasWatched, reads, pauseMs }: Tracked): number {
  if (streams > 0) return seenAt + goneAfterMs.watching
  if (hasWatched) return seenAt + goneAfterMs.watched
  if (reads < readsOfPoller) return seenAt + goneAfterMs.other
  return seenAt + Math.min(goneAfterMs.other, Math.max(goneAfterMs.poller, 3 * pauseMs))
}
