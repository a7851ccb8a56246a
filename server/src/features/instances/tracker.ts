import type { CallerInstance, KeyCaller } from "../../access/caller.ts"
import { networkOf } from "../../access/network.ts"
import { programOf } from "../../access/program.ts"
import { nextTurn } from "../../bounds/turns.ts"
import type { Door } from "../../core/core.ts"
import { hourMs, minuteMs, secondMs } from "../../durations.ts"
import { createPlaces, type PlaceBounds } from "./places.ts"
import { keepGoneMs } from "./rules.ts"
import * as store from "./store.ts"

/** Remembers which programs read with keys, and which revision each of them got. A job saves it for all together. */
export interface InstanceTracker {
  noteRead(caller: KeyCaller, instance: CallerInstance, read: { environmentId: number; revision: number }): void
  /** The caller is told of changes from now on, until the returned function is called. */
  watches(caller: KeyCaller, environmentId: number): () => void
  flush(): Promise<void>
  /** Without those that are gone. */
  size(): number
}

/** It has a place for as long as it may have a row, so that what bounds the places bounds the rows too. */
interface Tracked {
  id: string
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
  mayHaveRow: boolean
  /** It starts over if it is seen again. */
  isGone: boolean
  /** Reads that are too close together count as one. */
  reads: number
  lastReadAt: number
  /** Between the last two reads. */
  pauseMs: number
  streams: number
  hasWatched: boolean
}

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
const defaultBounds: PlaceBounds = { total: 50_000, perOwner: 10_000 }
const maxReaders = 10_000
const rowsPerBatch = 250

export function createInstanceTracker(
  door: Door,
  now: () => number = Date.now,
  bounds: PlaceBounds = defaultBounds,
): InstanceTracker {
  /** Those that have read since the last collection. */
  let readers: KeyCaller[] = []
  const unsaved = new Set<Tracked>()
  const gaveWay = new Set<Tracked>()
  const places = createPlaces<Tracked>(bounds, (one) => {
    unsaved.delete(one)
    if (one.mayHaveRow) gaveWay.add(one)
  })
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
      if (at - one.lastReadAt >= sameReadMs) {
        one.reads++
        if (one.lastReadAt > 0) one.pauseMs = at - one.lastReadAt
        one.lastReadAt = at
      }
      saw(one, instance, at)
    }
  }

  function find(caller: KeyCaller, instance: CallerInstance, at: number): Tracked {
    const { label, process, environmentId, revision } = instance
    const { keyHash, address, client } = caller
    const id = idOf(keyHash, instance)
    const known = places.get(id)
    if (known?.isGone === false) return known
    if (known !== undefined) places.remove(known)
    const one: Tracked = {
      id,
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
      mayHaveRow: known?.mayHaveRow ?? false,
      isGone: false,
      reads: 0,
      lastReadAt: 0,
      pauseMs: 0,
      streams: 0,
      hasWatched: false,
    }
    places.add(one)
    return one
  }

  function saw(one: Tracked, { environmentId, revision }: CallerInstance, at: number): void {
    one.seenAt = at
    places.saw(one)
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
      if (places.has(one)) unsaved.add(one)
    }
  }

  async function flush(): Promise<void> {
    collect()
    sweep()
    // In this order: one that gave way may be back.
    await work(gaveWay, removeRows)
    await work(unsaved, save)
  }

  /** What fails is tried again the next time. */
  async function work(waiting: Set<Tracked>, workOn: (batch: readonly Tracked[]) => Promise<void>): Promise<void> {
    const all = [...waiting]
    waiting.clear()
    for (let start = 0; start < all.length; start += rowsPerBatch) {
      try {
        await workOn(all.slice(start, start + rowsPerBatch))
      } catch (error) {
        for (const one of all.slice(start)) waiting.add(one)
        throw error
      }
      await nextTurn()
    }
  }

  /** Watchers are seen for as long as they are connected. What is gone keeps its place until its row is purged. */
  function sweep(): void {
    const at = now()
    if (at - sweptAt < sweepEveryMs) return
    sweptAt = at
    for (const one of places.all()) {
      if (one.streams > 0) {
        one.seenAt = at
        places.saw(one)
        if (at - one.savedAt >= saveSeenEveryMs) unsaved.add(one)
      } else if (goneAt(one) <= at && !unsaved.has(one)) {
        one.isGone = true
        places.spare(one)
        if (!one.mayHaveRow || goneAt(one) + keepGoneMs <= at) places.remove(one)
      }
    }
  }

  async function removeRows(batch: readonly Tracked[]): Promise<void> {
    const keys = await findKeys(batch)
    const rows = batch.flatMap(({ id, keyHash, label, process, seenAt }) => {
      const key = keys.get(keyHash)
      const isBack = places.get(id)
      if (isBack !== undefined) isBack.mayHaveRow = true
      return key === undefined || isBack !== undefined ? [] : [{ api_key_id: key.id, label, process, seen_at: seenAt }]
    })
    await door.bookkeep((tx) => store.removeInstances(tx, rows))
  }

  function findKeys(batch: readonly Tracked[]) {
    return store.findKeys(door.db, [...new Set(batch.map(({ keyHash }) => keyHash))])
  }

  async function save(batch: readonly Tracked[]): Promise<void> {
    const at = now()
    const keys = await findKeys(batch)
    const hashes = new Map(Array.from(keys, ([keyHash, { id }]) => [id, keyHash]))
    for (const [keyHash, { ownerId }] of keys) places.setOwner(keyHash, ownerId)
    const saved = new Map<Tracked, store.SavedInstance>()
    for (const one of batch) {
      const key = keys.get(one.keyHash)
      if (key === undefined) places.remove(one)
      else if (places.has(one)) saved.set(one, toRow(one, key.id))
    }
    const started = Array.from(saved).flatMap(([{ savedAt }, row]) => (savedAt === 0 && row.is_once === 1 ? [row] : []))
    for (const one of saved.keys()) one.mayHaveRow = true
    await door.bookkeep(async (tx) => {
      for (const { api_key_id, ...replaced } of await store.removeReplaced(tx, started)) {
        const one = places.get(idOf(hashes.get(api_key_id) ?? "", replaced))
        if (one === undefined || saved.has(one)) continue
        one.mayHaveRow = false
        places.spare(one)
      }
      await store.saveInstances(tx, [...saved.values()])
    })
    for (const one of saved.keys()) one.savedAt = at
  }

  return { noteRead, watches, flush, size: () => Array.from(places.all()).filter(({ isGone }) => !isGone).length }
}

function idOf(keyHash: string, { label, process }: Pick<CallerInstance, "label" | "process">): string {
  return `${keyHash} ${process} ${label}`
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
