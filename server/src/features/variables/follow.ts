import type { Core } from "../../core/core.ts"
import type { ChangeFeed, FeedListener } from "../../db/change-feed.ts"
import { withoutScreens } from "../../db/invalidation.ts"
import { InstanceTracker } from "../instances/tracker.ts"
import { createKeyRefusals } from "./key-refusals.ts"
import { createLastUsed } from "./last-used.ts"
import { Memory } from "./memory.ts"
import { createRenderings } from "./renderings.ts"
import type { Reading } from "./rules.ts"
import { createUnsentBodies } from "./unsent.ts"
import { createWatch, type Watch } from "./watch.ts"

interface FollowParts {
  core: Core
  /** Listens to the same changes, and to those that only screens show. */
  live: FeedListener
  /** Starts to report what other nodes change. */
  follow(listener: FeedListener): ChangeFeed
  staleReadsMs: number
  warn(error: unknown, what: string): void
  /** Called when the database goes away, and when it answers again. */
  databaseIs(state: "down" | "back"): void
}

export interface Following {
  reading: Reading
  instances: InstanceTracker
  watch: Watch
  feed: ChangeFeed
}

/** Connects memory, watchers and screens to every change: this node's through `core`, other nodes' through the feed. */
export function followChanges({ core, live, follow, staleReadsMs, warn, databaseIs }: FollowParts): Following {
  const memory = new Memory()
  const instances = new InstanceTracker(core)
  const refusals = createKeyRefusals(core)
  const watch = createWatch(core.db, {
    instances,
    warn: (error) => warn(error, "could not read what watchers are waiting for; retrying"),
    sawRevision: (environmentId, revision) => memory.sawRevision(environmentId, revision),
    refused: refusals.note,
  })
  const listener: FeedListener = {
    changed(invalidations) {
      const read = withoutScreens(invalidations)
      if (read.length > 0) {
        memory.changed(read)
        watch.changed(read)
      }
      live.changed(invalidations)
    },
    mayHaveMissedChanges(lastInSyncAt) {
      live.mayHaveMissedChanges(lastInSyncAt)
      memory.mayHaveMissedChanges(lastInSyncAt)
      watch.mayHaveMissedChanges(lastInSyncAt)
    },
    databaseIs,
    notificationsUnavailable: (reason) =>
      warn(reason, "notifications of changes on other nodes do not arrive, so every read asks the database"),
  }
  core.listeners.push(listener.changed)
  const feed = follow(listener)
  const unsent = createUnsentBodies()
  const reading: Reading = {
    memory,
    renderings: createRenderings(core, unsent),
    unsent,
    feed,
    lastUsed: createLastUsed(core),
    instances,
    refusals,
    staleReadsMs,
    counts: { memory: 0, database: 0, stale: 0 },
  }
  return { reading, instances, watch, feed }
}
