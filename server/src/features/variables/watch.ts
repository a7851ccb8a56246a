import { sentences } from "@envkeep/contract"
import type { KeyCaller } from "../../access/caller.ts"
import { findHolders, findKeyEnvironment, type KeyHolder, mayUse } from "../../access/key-holder.ts"
import { BoundError } from "../../bounds/bound-error.ts"
import { startPace } from "../../bounds/turns.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { byCollection } from "../../db/invalidation.ts"
import type { Reader } from "../../db/schema.ts"
import type { EventStream } from "../../http/event-stream.ts"

interface Watcher {
  keyHash: string
  stream: EventStream
  sentRevision: number
  /** Stops counting it. */
  release(): void
}

interface WatchedEnvironment {
  collectionId: number
  watchers: Set<Watcher>
}

export interface Watch extends FeedListener {
  /** Refuses a key that may not be used before anything is sent. `open` starts the stream. */
  add(caller: KeyCaller, open: () => EventStream): Promise<void>
  /** Keeps idle connections alive through proxies. */
  sendHeartbeats(): Promise<void>
  size(): number
  close(): void
}

interface WatchBounds {
  total: number
  perKey: number
}

/** A watcher takes about 30 KB. */
const defaultBounds: WatchBounds = { total: 5_000, perKey: 1_000 }
const retryAfterSeconds = 60
const retryDelayMs = 1_000
/** How many environments are looked up at once. */
const environmentsPerCheck = 500

/** Sends each new revision to its watchers. One query serves many environments and all of their watchers. */
export function createWatch(db: Reader, warn: (error: unknown) => void, bounds = defaultBounds): Watch {
  const environments = new Map<number, WatchedEnvironment>()
  const countOfKey = new Map<string, number>()
  let size = 0
  let closed = false
  /** The environments that may have changed since they were last looked up. */
  const unchecked = new Set<number>()
  let isChecking = false
  let hasFailed = false
  let retryTimer: NodeJS.Timeout | undefined

  return {
    async add(caller, open) {
      refuseIfFull(caller)
      const { holder } = await findKeyEnvironment(db, caller)
      // Others may have been added during the query.
      refuseIfFull(caller)
      makeRoomFor(holder)
      const stream = open()
      if (closed) return stream.end()
      addWatcher(holder, stream)
      // The first revision is read after the watcher was added, so that no change can be lost in between.
      check([holder.environmentId])
    },
    changed(changes) {
      check(changes.flatMap((change) => ("environmentId" in change ? [change.environmentId] : [])))
      const collections = byCollection(changes)
      if (collections.size > 0) check(idsIn(collections))
    },
    mayHaveMissedChanges: () => check(environments.keys()),
    async sendHeartbeats() {
      const pace = startPace()
      for (const { watchers } of environments.values()) {
        for (const { stream } of watchers) {
          stream.sendHeartbeat()
          if (pace.isDue()) await pace.turn()
        }
      }
    },
    size: () => size,
    close() {
      closed = true
      clearTimeout(retryTimer)
      for (const { watchers } of environments.values()) for (const { stream } of watchers) stream.end()
    },
  }

  function refuseIfFull({ keyHash }: KeyCaller): void {
    if ((countOfKey.get(keyHash) ?? 0) < bounds.perKey) return
    throw new BoundError("watchers", "too_many", sentences.tooManyWatchers, retryAfterSeconds)
  }

  /** When there are too many watchers, the collection that has the most of them loses one. It may connect again. */
  function makeRoomFor({ collectionId }: KeyHolder): void {
    if (size < bounds.total) return
    const counts = new Map<number, number>()
    for (const one of environments.values()) {
      counts.set(one.collectionId, (counts.get(one.collectionId) ?? 0) + one.watchers.size)
    }
    const [most = collectionId] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one))
    if (most === collectionId) {
      throw new BoundError("watchers", "unavailable", sentences.tooManyWatchers, retryAfterSeconds)
    }
    const [first] = idsIn(new Set([most])).flatMap((id) => [...(environments.get(id)?.watchers ?? [])])
    first?.release()
    first?.stream.cutOff()
  }

  function addWatcher({ keyHash, environmentId, collectionId }: KeyHolder, stream: EventStream): void {
    const watched = environments.get(environmentId) ?? { collectionId, watchers: new Set() }
    const watcher: Watcher = { keyHash, stream, sentRevision: 0, release }
    watched.watchers.add(watcher)
    environments.set(environmentId, watched)
    countOfKey.set(keyHash, (countOfKey.get(keyHash) ?? 0) + 1)
    size++
    stream.onClose(release)

    function release(): void {
      if (!watched.watchers.delete(watcher)) return
      size--
      const ofKey = (countOfKey.get(keyHash) ?? 0) - 1
      if (ofKey > 0) countOfKey.set(keyHash, ofKey)
      else countOfKey.delete(keyHash)
      if (watched.watchers.size === 0 && environments.get(environmentId) === watched) environments.delete(environmentId)
    }
  }

  function idsIn(collections: Pick<ReadonlySet<number>, "has">): number[] {
    return [...environments].filter(([, { collectionId }]) => collections.has(collectionId)).map(([id]) => id)
  }

  /** What changes during a query is looked up again after it. */
  function check(environmentIds: Iterable<number>): void {
    for (const id of environmentIds) if (environments.has(id)) unchecked.add(id)
    if (!isChecking) void checkAll()
  }

  async function checkAll(): Promise<void> {
    isChecking = true
    try {
      while (unchecked.size > 0 && !closed) await checkNext([...unchecked].slice(0, environmentsPerCheck))
      hasFailed = false
    } catch (error) {
      retry(error)
    } finally {
      isChecking = false
    }
  }

  async function checkNext(environmentIds: number[]): Promise<void> {
    for (const id of environmentIds) unchecked.delete(id)
    try {
      const watchers = environmentIds.flatMap((id) => [...(environments.get(id)?.watchers ?? [])])
      const holders = await findHolders(db, [...new Set(watchers.map(({ keyHash }) => keyHash))])
      const pace = startPace()
      for (const watcher of watchers) {
        sendRevision(watcher, holders.get(watcher.keyHash))
        if (pace.isDue()) await pace.turn()
      }
    } catch (error) {
      for (const id of environmentIds) unchecked.add(id)
      throw error
    }
  }

  /** During an outage watchers keep what they have. They get the new revision once the database is back. */
  function retry(error: unknown): void {
    // One warning per outage, not one per second.
    if (!hasFailed) warn(error)
    hasFailed = true
    clearTimeout(retryTimer)
    if (!closed) retryTimer = setTimeout(() => check([]), retryDelayMs).unref()
  }
}

function sendRevision(watcher: Watcher, found: { holder: KeyHolder; revision: number } | undefined): void {
  if (found === undefined || !mayUse(found.holder)) {
    watcher.stream.send("gone", {})
    watcher.stream.end()
  } else if (watcher.sentRevision < found.revision) {
    watcher.sentRevision = found.revision
    watcher.stream.send("revision", { revision: found.revision }, found.revision)
  }
}
