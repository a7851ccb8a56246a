import type { KeyCaller } from "../../access/caller.ts"
import { findHeldEnvironment, holdersOf, mayUse } from "../../access/key-holder.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import type { Reader } from "../../db/schema.ts"
import type { EventStream } from "../../http/event-stream.ts"

interface Watcher {
  keyHash: string
  stream: EventStream
  /** The last revision it was told of. */
  told: number
}

/** Who watches one environment, and whether a look at the database is under way or wanted. */
interface Watched {
  watchers: Set<Watcher>
  looking: boolean
  lookAgain: boolean
  /** The last look has failed, and another is to follow. */
  failed: boolean
  timer?: NodeJS.Timeout
}

export interface Watch extends FeedListener {
  /** Refuses a key that may not be used before anything is sent; `open` starts the stream. */
  add(caller: KeyCaller, open: () => EventStream): Promise<void>
  /** Sends a line that readers ignore, so that proxies do not end silent connections. */
  beat(): void
  size(): number
  close(): void
}

const lookAgainAfterMs = 1_000

/** Tells watchers of each new revision. One look at the database serves all who watch the same environment. */
export function createWatch(db: Reader, warn: (error: unknown) => void): Watch {
  const environments = new Map<number, Watched>()
  const collectionOf = new Map<number, number>()
  let closed = false

  return {
    async add(caller, open) {
      const { holder } = await findHeldEnvironment(db, caller)
      const stream = open()
      if (closed) return stream.end()
      const { keyHash, environmentId, collectionId } = holder
      const watched = environments.get(environmentId) ?? {
        watchers: new Set(),
        looking: false,
        lookAgain: false,
        failed: false,
      }
      const watcher: Watcher = { keyHash, stream, told: 0 }
      watched.watchers.add(watcher)
      environments.set(environmentId, watched)
      collectionOf.set(environmentId, collectionId)
      stream.onClose(() => {
        watched.watchers.delete(watcher)
        if (watched.watchers.size === 0) drop(environmentId)
      })
      // The first word comes from a look made after joining, so that no change can fall between the two.
      await look(environmentId)
    },
    changed(changes) {
      for (const change of changes) {
        if ("environmentId" in change) void look(change.environmentId)
        else for (const [id, collectionId] of collectionOf) if (collectionId === change.collectionId) void look(id)
      }
    },
    missed() {
      for (const id of environments.keys()) void look(id)
    },
    beat() {
      for (const { watchers } of environments.values()) for (const { stream } of watchers) stream.beat()
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

  async function look(environmentId: number): Promise<void> {
    const watched = environments.get(environmentId)
    if (watched === undefined) return
    if (watched.looking) {
      watched.lookAgain = true
      return
    }
    watched.looking = true
    try {
      do {
        watched.lookAgain = false
        tell(watched, await holdersOf(db, environmentId))
        watched.failed = false
      } while (watched.lookAgain)
    } catch (error) {
      // The database is away: watchers keep what they have, and are told when it is back.
      retry(environmentId, watched, error)
    } finally {
      watched.looking = false
    }
  }

  function retry(environmentId: number, watched: Watched, error: unknown): void {
    // Said once an outage, not once a second.
    if (!watched.failed) warn(error)
    watched.failed = true
    clearTimeout(watched.timer)
    if (!closed) watched.timer = setTimeout(() => void look(environmentId), lookAgainAfterMs).unref()
  }
}

function tell({ watchers }: Watched, state: Awaited<ReturnType<typeof holdersOf>>): void {
  for (const watcher of watchers) {
    if (state === undefined || !mayUse(state.holders.get(watcher.keyHash))) {
      watcher.stream.send("gone", {})
      watcher.stream.end()
      watchers.delete(watcher)
    } else if (watcher.told < state.revision) {
      watcher.told = state.revision
      watcher.stream.send("revision", { revision: state.revision }, state.revision)
    }
  }
}
