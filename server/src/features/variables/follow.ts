import type { ChangeFeed, FeedListener } from "../../db/change-feed.ts"
import type { Core } from "../../db/core.ts"
import { createLastUsed } from "./last-used.ts"
import { createMemory } from "./memory.ts"
import type { Reading } from "./rules.ts"
import { createWatch, type Watch } from "./watch.ts"

interface FollowParts {
  core: Core
  /** Begins to listen for what other nodes change. */
  follow(listener: FeedListener): ChangeFeed
  staleReadsMs: number
  warn(error: unknown, what: string): void
}

export interface Following {
  reading: Reading
  watch: Watch
  feed: ChangeFeed
}

/** Readers' memory and watchers, told of every change: of this node's own at once, of others' by the feed. */
export function followChanges({ core, follow, staleReadsMs, warn }: FollowParts): Following {
  const memory = createMemory()
  const watch = createWatch(core.db, (error) => warn(error, "could not look up what watchers wait for"))
  const listener: FeedListener = {
    changed(invalidations) {
      memory.changed(invalidations)
      watch.changed(invalidations)
    },
    missed(rightUntil) {
      memory.missed(rightUntil)
      watch.missed(rightUntil)
    },
    cannotHear: (reason) =>
      warn(reason, "changes made by other nodes cannot be heard, so every read asks the database"),
  }
  core.listeners.push(listener.changed)
  const feed = follow(listener)
  const counts = { memory: 0, database: 0, stale: 0 }
  return { reading: { memory, feed, lastUsed: createLastUsed(core), staleReadsMs, counts }, watch, feed }
}
