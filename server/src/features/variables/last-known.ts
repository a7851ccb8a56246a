import { type VariableFormat, variableFormats } from "@envkeep/contract"
import { LRUCache } from "lru-cache"
import type { KeyCaller } from "../../access/caller.ts"
import { mayUse } from "../../access/key-holder.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import { byCollection, type Invalidation } from "../../db/invalidation.ts"
import { type Found, memoryBytes, type RenderedVariables } from "./rendered.ts"

/** The last correct answer to a key, and when (by `steadyNow`) it was last known to be current. */
export interface LastKnownRead extends Found {
  lastCurrentAt: number
}

interface Times {
  loadedAt: number
  /** Set once it may be out of date. */
  outdatedAt: number | undefined
}

type Entry = Found & Times

interface KnownEnvironment {
  collectionId: number
  entries: Map<string, Entry>
  /** How many entries have this body. Keys of one environment mostly share theirs, so each is counted once. */
  bodies: Map<RenderedVariables, number>
  bytes: number
}

/** For an outage of the database: the last answer to each key, even if out of date. A refused key loses its entry. */
export interface LastKnown extends FeedListener {
  keep(loaded: Found, times: Times): void
  /** `lastInSyncAt` is when this node last knew of every change. */
  find(caller: KeyCaller, format: VariableFormat, lastInSyncAt: number): LastKnownRead | undefined
  forgetKey(keyHash: string): void
}

/** What an entry costs besides its body. */
const entryBytes = 500

export function createLastKnown(maxBytes: number): LastKnown {
  const environmentOf = new Map<string, number>()
  const environments = new LRUCache<number, KnownEnvironment>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    dispose(environment, _, reason) {
      if (reason !== "set") for (const id of environment.entries.keys()) environmentOf.delete(id)
    },
  })

  return {
    keep({ holder, rendered }, times) {
      const { environmentId, collectionId, format } = rendered
      const id = entryId(holder.keyHash, format)
      const known = environments.get(environmentId) ?? emptyEnvironment(collectionId)
      // Loads may end in a different order than they started.
      if ((known.entries.get(id)?.loadedAt ?? 0) > times.loadedAt) return
      remove(known, id)
      add(known, id, { holder, rendered, ...times })
      environmentOf.set(id, environmentId)
      put(environmentId, known)
    },
    find(caller, format, lastInSyncAt) {
      const id = entryId(caller.keyHash, format)
      const entry = environments.peek(environmentOf.get(id) ?? 0)?.entries.get(id)
      if (entry === undefined || !mayUse(entry.holder, caller)) return undefined
      const { holder, rendered } = entry
      return { holder, rendered, lastCurrentAt: lastCurrentAt(entry, lastInSyncAt) }
    },
    forgetKey,
    changed(changes) {
      for (const change of changes) if ("environmentId" in change) outdate(change.environmentId, change)
      const collections = byCollection(changes)
      if (collections.size === 0) return
      for (const [id, { collectionId }] of environments.entries()) {
        const change = collections.get(collectionId)
        if (change !== undefined) outdate(id, change)
      }
    },
    mayHaveMissedChanges(lastInSyncAt) {
      for (const { entries } of environments.values()) {
        for (const entry of entries.values()) entry.outdatedAt = lastCurrentAt(entry, lastInSyncAt)
      }
    },
  }

  function put(environmentId: number, environment: KnownEnvironment): void {
    // As a new object: the cache asks for the size only then.
    environments.set(environmentId, { ...environment })
    // The cache does not take what is larger than all of its space.
    if (!environments.has(environmentId)) for (const id of environment.entries.keys()) environmentOf.delete(id)
  }

  function outdate(environmentId: number, { ends }: Invalidation): void {
    const now = steadyNow()
    if (ends === true) environments.delete(environmentId)
    else if (ends !== undefined) forgetKey(ends.keyHash)
    else for (const entry of environments.peek(environmentId)?.entries.values() ?? []) entry.outdatedAt ??= now
  }

  function forgetKey(keyHash: string): void {
    const ids = variableFormats.map((format) => entryId(keyHash, format))
    const environmentId = ids.map((id) => environmentOf.get(id)).find((found) => found !== undefined)
    const environment = environmentId === undefined ? undefined : environments.peek(environmentId)
    if (environmentId === undefined || environment === undefined) return
    for (const id of ids) {
      environmentOf.delete(id)
      remove(environment, id)
    }
    if (environment.entries.size === 0) environments.delete(environmentId)
    else put(environmentId, environment)
  }
}

function emptyEnvironment(collectionId: number): KnownEnvironment {
  return { collectionId, entries: new Map(), bodies: new Map(), bytes: 0 }
}

function add(environment: KnownEnvironment, id: string, entry: Entry): void {
  const { entries, bodies } = environment
  const users = bodies.get(entry.rendered) ?? 0
  entries.set(id, entry)
  bodies.set(entry.rendered, users + 1)
  environment.bytes += entryBytes + (users === 0 ? memoryBytes(entry.rendered) : 0)
}

function remove(environment: KnownEnvironment, id: string): void {
  const { entries, bodies } = environment
  const entry = entries.get(id)
  if (entry === undefined) return
  const users = bodies.get(entry.rendered) ?? 1
  entries.delete(id)
  if (users > 1) bodies.set(entry.rendered, users - 1)
  else bodies.delete(entry.rendered)
  environment.bytes -= entryBytes + (users > 1 ? 0 : memoryBytes(entry.rendered))
}

function lastCurrentAt({ loadedAt, outdatedAt }: Times, lastInSyncAt: number): number {
  return outdatedAt ?? Math.max(loadedAt, lastInSyncAt)
}

function entryId(keyHash: string, format: VariableFormat): string {
  return `${format} ${keyHash}`
}
