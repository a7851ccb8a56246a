import type { KeyCaller } from "../../access/caller.ts"
import { findKeyEnvironment, holdersOf, mayUse } from "../../access/key-holder.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { byCollection } from "../../db/invalidation.ts"
import type { Reader } from "../../db/schema.ts"
import type { EventStream } from "../../http/event-stream.ts"

interface Watcher {
  keyHash: string
  stream: EventStream
  sentRevision: number
}

/** The watchers of one environment, and the state of the query that they share. */
interface WatchedEnvironment {
  watchers: Set<Watcher>
  isChecking: boolean
  /** Something changed during the query, so another one has to follow. */
  checkAgain: boolean
  hasFailed: boolean
  retryTimer?: NodeJS.Timeout
}

export interface Watch extends FeedListener {
  /** Refuses a key that may not be used before anything is sent. `open` starts the stream. */
  add(caller: KeyCaller, open: () => EventStream): Promise<void>
  /** Keeps idle connections alive through proxies. */
  sendHeartbeats(): void
  size(): number
  close(): void
}

const retryDelayMs = 1_000

/** Sends each new revision to its watchers. One query serves all watchers of the same environment. */
export function createWatch(db: Reader, warn: (error: unknown) => void): Watch {
  const environments = new Map<number, WatchedEnvironment>()
  const collectionOf = new Map<number, number>()
  let closed = false

  return {
    async add(caller, open) {
      const { holder } = await findKeyEnvironment(db, caller)
      const stream = open()
      if (closed) return stream.end()
      const { keyHash, environmentId, collectionId } = holder
      const watched = environments.get(environmentId) ?? {
        watchers: new Set(),
        isChecking: false,
        checkAgain: false,
        hasFailed: false,
      }
      const watcher: Watcher = { keyHash, stream, sentRevision: 0 }
      watched.watchers.add(watcher)
      environments.set(environmentId, watched)
      collectionOf.set(environmentId, collectionId)
      stream.onClose(() => {
        watched.watchers.delete(watcher)
        if (watched.watchers.size === 0) drop(environmentId)
      })
      // The first revision is read after the watcher was added, so that no change can be lost in between.
      await check(environmentId)
    },
    changed(changes) {
      for (const change of changes) if ("environmentId" in change) void check(change.environmentId)
      const collections = byCollection(changes)
      if (collections.size === 0) return
      for (const [id, collectionId] of collectionOf) if (collections.has(collectionId)) void check(id)
    },
    mayHaveMissedChanges() {
      for (const id of environments.keys()) void check(id)
    },
    sendHeartbeats() {
      for (const { watchers } of environments.values()) for (const { stream } of watchers) stream.sendHeartbeat()
    },
    size: () => [...environments.values()].reduce((sum, { watchers }) => sum + watchers.size, 0),
    close() {
      closed = true
      for (const { watchers } of environments.values()) for (const { stream } of watchers) stream.end()
    },
  }

  function drop(environmentId: number): void {
    environments.delete(environmentId)
    collectionOf.delete(environmentId)
  }

  async function check(environmentId: number): Promise<void> {
    const watched = environments.get(environmentId)
    if (watched === undefined) return
    if (watched.isChecking) {
      watched.checkAgain = true
      return
    }
    watched.isChecking = true
    try {
      do {
        watched.checkAgain = false
        sendRevision(watched, await holdersOf(db, environmentId))
        watched.hasFailed = false
      } while (watched.checkAgain)
    } catch (error) {
      retry(environmentId, watched, error)
    } finally {
      watched.isChecking = false
    }
  }

  /** During an outage watchers keep what they have. They get the new revision once the database is back. */
  function retry(environmentId: number, watched: WatchedEnvironment, error: unknown): void {
    // One warning per outage, not one per second.
    if (!watched.hasFailed) warn(error)
    watched.hasFailed = true
    clearTimeout(watched.retryTimer)
    if (!closed) watched.retryTimer = setTimeout(() => void check(environmentId), retryDelayMs).unref()
  }
}

function sendRevision({ watchers }: WatchedEnvironment, state: Awaited<ReturnType<typeof holdersOf>>): void {
  for (const watcher of watchers) {
    if (state === undefined || !mayUse(state.holders.get(watcher.keyHash))) {
      watcher.stream.send("gone", {})
      watcher.stream.end()
      watchers.delete(watcher)
    } else if (watcher.sentRevision < state.revision) {
      watcher.sentRevision = state.revision
      watcher.stream.send("revision", { revision: state.revision }, state.revision)
    }
  }
}
