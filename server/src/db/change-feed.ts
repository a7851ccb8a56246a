import type { Invalidation } from "./invalidation.ts"

/** How a node learns what other nodes have changed. Its own changes reach its listeners without the feed. */
export interface ChangeFeed {
  /** False while a change made elsewhere could be missing here: then memory must not be trusted. */
  isInSync(): boolean
  /** The last moment, by `steadyNow`, at which no change was missing. */
  lastInSyncAt(): number
  /** How many times the connection that listens was lost and replaced. */
  reconnects(): number
  /** How many notifications made no sense. Each counts as a change of anything. */
  notUnderstood(): number
  /** True while the database is known not to answer. */
  isDatabaseDown(): boolean
  close(): Promise<void>
}

export interface FeedListener {
  changed(changes: Invalidation[]): void
  /** Any change made after `lastInSyncAt` may be missing. */
  mayHaveMissedChanges(lastInSyncAt: number): void
  /** Called when the database goes away, and when it answers again. */
  databaseIs?(state: "down" | "back"): void
  /** Called at most once: the database works, but does not deliver notifications. */
  notificationsUnavailable?(reason: Error): void
}
