import type { KeyCaller } from "../../access/caller.ts"
import {
  findHolders,
  findKeyEnvironment,
  hasExpired,
  type KeyHolder,
  mayUse,
  type RefusedUse,
} from "../../access/key-holder.ts"
import { eachWithPauses } from "../../bounds/turns.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { byCollection } from "../../db/invalidation.ts"
import type { Reader } from "../../db/schema.ts"
import { type EventReader, EventReaders, type ReaderBounds } from "../../http/event-readers.ts"
import { type EventStream, eventBytes } from "../../http/event-stream.ts"
import type { InstanceTracker } from "../instances/tracker.ts"
import { createAlarm } from "./alarm.ts"

/** The topic is the environment, the owner the key, the group the collection. */
interface Watcher extends EventReader {
  caller: KeyCaller
  sentRevision: number
  expiresAt: number | null
}

/** What the watchers with one key are told. */
interface News {
  holder: KeyHolder
  revision: number
  event: Buffer
}

export interface Watch extends FeedListener {
  /** Refuses a key that may not be used before anything is sent. `open` starts the stream. */
  add(caller: KeyCaller, open: () => EventStream): Promise<void>
  sendHeartbeats(): Promise<void>
  size(): number
  close(): void
}

/** A watcher takes about 20 kB, its connection included. */
const defaultBounds: ReaderBounds = { total: 20_000, perOwner: 10_000 }

interface WatchParts {
  instances: Pick<InstanceTracker, "watches">
  warn(error: unknown): void
  /** Called before watchers are told of a revision. */
  sawRevision(environmentId: number, revision: number): void
  refused(use: RefusedUse): void
  bounds?: ReaderBounds
}

/** Sends each new revision to its watchers. */
export function createWatch(db: Reader, parts: WatchParts): Watch {
  const { instances, warn, sawRevision, refused, bounds = defaultBounds } = parts
  const watchers = new EventReaders<Watcher>({ bounds, update, warn })
  const alarm = createAlarm(checkExpired)

  return {
    async add(caller, open) {
      watchers.refuseIfFull(caller.keyHash)
      const { holder } = await findKeyEnvironment(db, caller, refused)
      const { keyHash, environmentId, collectionId, expiresAt } = holder
      const place = { topic: environmentId, owner: keyHash, group: collectionId }
      watchers.add({ ...place, caller, sentRevision: 0, expiresAt }, () => {
        const stream = open()
        stream.onClose(instances.watches(caller, holder))
        return stream
      })
    },
    changed(changes) {
      watchers.check(changes.flatMap((change) => ("environmentId" in change ? [change.environmentId] : [])))
      const collections = byCollection(changes)
      if (collections.size > 0) watchers.check(environmentsIn(collections))
    },
    mayHaveMissedChanges: () => watchers.checkAll(),
    sendHeartbeats: () => watchers.sendHeartbeats(),
    size: () => watchers.size(),
    close() {
      alarm.stop()
      watchers.close()
    },
  }

  function environmentsIn(collections: Pick<ReadonlySet<number>, "has">): Set<number> {
    return new Set(Array.from(watchers.all()).flatMap(({ group, topic }) => (collections.has(group) ? [topic] : [])))
  }

  async function update(told: Watcher[]): Promise<void> {
    const holders = await findHolders(db, [...new Set(told.map(({ owner }) => owner))]).catch((error: unknown) => {
      // Also during an outage.
      for (const watcher of told) if (hasExpired(watcher)) end(watcher)
      throw error
    })
    const news = new Map(Array.from(holders, ([owner, found]) => [owner, { ...found, event: revisionEvent(found) }]))
    // Once for each key: what is being read while watchers are told need not be marked for every one of them.
    for (const { holder, revision } of news.values()) sawRevision(holder.environmentId, revision)
    await eachWithPauses(told, (watcher) => sendRevision(watcher, news.get(watcher.owner)))
  }

  function sendRevision(watcher: Watcher, found: News | undefined): void {
    if (found === undefined || !mayUse(found.holder, watcher.caller)) {
      end(watcher)
      return
    }
    watcher.expiresAt = found.holder.expiresAt
    if (watcher.expiresAt !== null) alarm.setFor(watcher.expiresAt)
    if (watcher.sentRevision >= found.revision) return
    watcher.sentRevision = found.revision
    watcher.stream.send(found.event)
  }

  function end({ stream }: Watcher): void {
    stream.send(eventBytes("gone", {}))
    stream.end()
  }

  /** Asks once more: another node may have given a key more time. */
  function checkExpired(): void {
    const expiring = Array.from(watchers.all()).filter(({ expiresAt }) => expiresAt !== null)
    for (const { expiresAt } of expiring) if (!hasExpired({ expiresAt })) alarm.setFor(Number(expiresAt))
    watchers.check(expiring.filter(hasExpired).map(({ topic }) => topic))
  }
}

function revisionEvent({ revision }: { revision: number }): Buffer {
  return eventBytes("revision", { revision }, revision)
}
