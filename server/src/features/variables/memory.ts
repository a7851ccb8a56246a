import type { VariableFormat } from "@envkeep/contract"
import { LRUCache } from "lru-cache"
import type { KeyCaller } from "../../access/caller.ts"
import { type KeyHolder, mayUse } from "../../access/key-holder.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import { byCollection, type Invalidation } from "../../db/invalidation.ts"
import { createLastKnown, type LastKnownRead } from "./last-known.ts"
import { type Found, type Loaded, memoryBytes, type RenderedVariables } from "./rendered.ts"

interface CachedEnvironment {
  collectionId: number
  keyHashes: Set<string>
  byFormat: Map<VariableFormat, RenderedVariables>
  bytes: number
}

interface Load {
  promise: Promise<Loaded>
  startedAt: number
  /** What changed since the load started: its result may be older. */
  changes: Invalidation[]
  mayHaveMissedChanges: boolean
}

export interface Memory extends FeedListener {
  /** What a key may read without a query. */
  find(caller: KeyCaller, format: VariableFormat): Found | undefined
  /** What was rendered earlier for exactly this revision, for any key. */
  findRevision(environmentId: number, revision: number, format: VariableFormat): RenderedVariables | undefined
  /**
   * Runs `load` once for all concurrent callers with the same id, and caches its result unless it may already be out of
   * date.
   */
  load(id: string, load: () => Promise<Loaded>): Promise<Loaded>
  /**
   * The database has this revision, whether this node was notified of it or not. From now on no earlier one is found: a
   * watcher that was told of the revision would not read again.
   */
  sawRevision(environmentId: number, revision: number): void
  /** For an outage of the database: the last answer to the key. */
  lastKnown(caller: KeyCaller, format: VariableFormat, lastInSyncAt: number): LastKnownRead | undefined
  /** For a key that the database has refused: it gets nothing during an outage either. */
  forgetKey(keyHash: string): void
  /** What is cached now, and how many environments were evicted to make room. */
  state(): { environments: number; bytes: number; evictions: number }
}

const defaultMaxBytes = 64 * 1024 * 1024
/** What an entry costs besides its bodies: a few maps and strings. */
const entryBytes = 1_000
const keyBytes = 300
/** Well below the second within which a change on another node must show, even if this node was not notified. */
const joinWithinMs = 200

/** Key hash -> holder -> environment -> rendered bytes. The least recently used environment is evicted first. */
export function createMemory(maxBytes = defaultMaxBytes): Memory {
  const holders = new Map<string, KeyHolder>()
  const environments = new LRUCache<number, CachedEnvironment>({
    maxSize: maxBytes,
    // One very large environment must not replace all others. It is rendered when it is read.
    maxEntrySize: maxBytes / 4,
    sizeCalculation: ({ bytes }) => bytes,
    dispose(environment, _, reason) {
      if (reason === "set") return
      for (const keyHash of environment.keyHashes) holders.delete(keyHash)
      if (reason === "evict") evictions++
    },
  })
  /** The last load with each id, for others to join. */
  const newestLoads = new Map<string, Load>()
  /** With those that a newer one has replaced: each must know of every change until its result is kept. */
  const loads = new Set<Load>()
  const lastKnown = createLastKnown(maxBytes)
  let evictions = 0

  return {
    find(caller, format) {
      const holder = holders.get(caller.keyHash)
      if (!mayUse(holder, caller)) return undefined
      const rendered = environments.get(holder.environmentId)?.byFormat.get(format)
      return rendered && { holder, rendered }
    },
    findRevision(environmentId, revision, format) {
      const rendered = environments.get(environmentId)?.byFormat.get(format)
      return rendered?.revision === revision ? rendered : undefined
    },
    load(id, load) {
      const running = newestLoads.get(id)
      if (running !== undefined && mayBeJoined(running)) return running.promise
      const loading = load()
      const started: Load = {
        promise: loading.then(keep),
        startedAt: steadyNow(),
        changes: [],
        mayHaveMissedChanges: false,
      }
      started.promise = started.promise.finally(() => {
        loads.delete(started)
        if (newestLoads.get(id) === started) newestLoads.delete(id)
      })
      loads.add(started)
      newestLoads.set(id, started)
      return started.promise

      function keep(loaded: Loaded): Loaded {
        keepLoaded(loaded, started)
        return loaded
      }
    },
    sawRevision(environmentId, revision) {
      for (const load of loads) load.changes.push({ environmentId })
      const [cached] = environments.peek(environmentId)?.byFormat.values() ?? []
      if (cached === undefined || cached.revision < revision) environments.delete(environmentId)
    },
    lastKnown: lastKnown.find,
    forgetKey: lastKnown.forgetKey,
    changed(changes) {
      lastKnown.changed(changes)
      for (const load of loads) load.changes.push(...changes)
      for (const change of changes) if ("environmentId" in change) environments.delete(change.environmentId)
      const collections = byCollection(changes)
      if (collections.size === 0) return
      for (const [id, { collectionId }] of environments.entries()) {
        if (collections.has(collectionId)) environments.delete(id)
      }
    },
    mayHaveMissedChanges(lastInSyncAt) {
      lastKnown.mayHaveMissedChanges(lastInSyncAt)
      for (const load of loads) load.mayHaveMissedChanges = true
      // Bodies stay: after one query that finds the same revision they are current again.
      holders.clear()
      for (const { keyHashes } of environments.values()) keyHashes.clear()
    },
    state: () => ({ environments: environments.size, bytes: environments.calculatedSize, evictions }),
  }

  /** A reader that arrives now must see every change made since the load started, even one not known here yet. */
  function mayBeJoined({ mayHaveMissedChanges, changes, startedAt }: Load): boolean {
    return !mayHaveMissedChanges && changes.length === 0 && steadyNow() - startedAt < joinWithinMs
  }

  /** A load that a change has overtaken is not cached. It is still the last known answer, unless the key has ended. */
  function keepLoaded({ holder, rendered }: Loaded, { startedAt, changes, mayHaveMissedChanges }: Load): void {
    const { environmentId, collectionId } = rendered
    const overtaking = changes.filter(
      (change) =>
        ("environmentId" in change && change.environmentId === environmentId) ||
        ("collectionId" in change && change.collectionId === collectionId),
    )
    const isCurrent = !mayHaveMissedChanges && overtaking.length === 0
    if (!("body" in rendered)) return
    if (overtaking.length === 0) cache(rendered, isCurrent ? holder : undefined)
    if (overtaking.some(({ ends }) => ends === true || ends?.keyHash === holder.keyHash)) return
    lastKnown.keep({ holder, rendered }, { loadedAt: startedAt, outdatedAt: isCurrent ? undefined : startedAt })
  }

  /** Without a holder the body is only found by its revision. */
  function cache(rendered: RenderedVariables, holder: KeyHolder | undefined): void {
    const { environmentId, collectionId, format } = rendered
    let cached = environments.get(environmentId)
    const [other] = cached?.byFormat.values() ?? []
    // Two revisions must never be served side by side.
    if (other !== undefined && other.revision !== rendered.revision) {
      if (holder === undefined && other.revision > rendered.revision) return
      environments.delete(environmentId)
      cached = undefined
    }
    const byFormat = new Map(cached?.byFormat).set(format, rendered)
    const keyHashes = cached?.keyHashes ?? new Set()
    if (holder !== undefined) {
      keyHashes.add(holder.keyHash)
      holders.set(holder.keyHash, holder)
    }
    let bytes = entryBytes + keyHashes.size * keyBytes
    for (const one of byFormat.values()) bytes += memoryBytes(one)
    environments.set(environmentId, { collectionId, keyHashes, byFormat, bytes })
    // The cache does not take what is too large for it.
    if (!environments.has(environmentId)) for (const keyHash of keyHashes) holders.delete(keyHash)
  }
}
