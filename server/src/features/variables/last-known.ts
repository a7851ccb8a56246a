import { type VariableFormat, variableFormats } from "@envkeep/contract"
import { LRUCache } from "lru-cache"
import { type KeyHolder, mayUse } from "../../access/key-holder.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import type { Invalidation } from "../../db/invalidation.ts"
import type { Finished, Loaded } from "./finished.ts"

/** What a key's holder was last rightly sent, and until when (by `steadyNow`) it was known to be right. */
export interface Kept {
  finished: Finished
  rightAt: number
}

interface Times {
  loadedAt: number
  /** Set once it may be, or is known to be, out of date. */
  outdatedAt: number | undefined
}

interface Entry extends Times {
  holder: KeyHolder
  finished: Finished
}

interface KeptEnvironment {
  collectionId: number
  entries: Map<string, Entry>
}

/** For an outage of the database: what each key's holder last got, out of date or not. A refused key loses its entry. */
export interface LastKnown extends FeedListener {
  keep(loaded: Loaded, times: Times): void
  /** `rightUntil` is how far this node has heard everything. */
  find(keyHash: string, format: VariableFormat, rightUntil: number): Kept | undefined
  refused(keyHash: string): void
}

/** What an entry costs beside its body, which is held twice: as bytes, and as the string that is sent (`answer.ts`). */
const entryBytes = 500
const copies = 2

export function createLastKnown(maxBytes: number): LastKnown {
  const environmentOf = new Map<string, number>()
  const environments = new LRUCache<number, KeptEnvironment>({
    maxSize: maxBytes,
    sizeCalculation: sizeOf,
    dispose(one, _, reason) {
      if (reason !== "set") for (const id of one.entries.keys()) environmentOf.delete(id)
    },
  })

  return {
    keep({ holder, finished }, times) {
      const { environmentId, collectionId, format } = finished
      const id = idOf(holder.keyHash, format)
      const entries = new Map(environments.get(environmentId)?.entries)
      // Loads may end in another order than they started in.
      if ((entries.get(id)?.loadedAt ?? 0) > times.loadedAt) return
      entries.set(id, { holder, finished, ...times })
      environmentOf.set(id, environmentId)
      put(environmentId, { collectionId, entries })
    },
    find(keyHash, format, rightUntil) {
      const id = idOf(keyHash, format)
      const entry = environments.peek(environmentOf.get(id) ?? 0)?.entries.get(id)
      if (entry === undefined || !mayUse(entry.holder)) return undefined
      return { finished: entry.finished, rightAt: rightAt(entry, rightUntil) }
    },
    refused,
    changed(changes) {
      for (const change of changes) {
        if ("environmentId" in change) outdate(change.environmentId, change)
        else
          for (const [id, one] of environments.entries())
            if (one.collectionId === change.collectionId) outdate(id, change)
      }
    },
    missed(rightUntil) {
      for (const { entries } of environments.values()) {
        for (const entry of entries.values()) entry.outdatedAt = rightAt(entry, rightUntil)
      }
    },
  }

  function put(environmentId: number, one: KeptEnvironment): void {
    environments.set(environmentId, one)
    // Too large to be held at all.
    if (!environments.has(environmentId)) for (const id of one.entries.keys()) environmentOf.delete(id)
  }

  function outdate(environmentId: number, { ends }: Invalidation): void {
    const now = steadyNow()
    if (ends === true) environments.delete(environmentId)
    else if (ends !== undefined) refused(ends.keyHash)
    else for (const entry of environments.peek(environmentId)?.entries.values() ?? []) entry.outdatedAt ??= now
  }

  function refused(keyHash: string): void {
    for (const format of variableFormats) {
      const id = idOf(keyHash, format)
      const environmentId = environmentOf.get(id)
      environmentOf.delete(id)
      const one = environmentId === undefined ? undefined : environments.peek(environmentId)
      if (environmentId === undefined || one === undefined) continue
      const entries = new Map(one.entries)
      entries.delete(id)
      if (entries.size === 0) environments.delete(environmentId)
      else put(environmentId, { ...one, entries })
    }
  }
}

/** Keys of one environment mostly share their bodies; each body is counted once. */
function sizeOf({ entries }: KeptEnvironment): number {
  const bodies = new Set(Array.from(entries.values(), ({ finished }) => finished.body))
  let bytes = entries.size * entryBytes
  for (const body of bodies) bytes += body.length * copies
  return bytes
}

function rightAt({ loadedAt, outdatedAt }: Times, rightUntil: number): number {
  return outdatedAt ?? Math.max(loadedAt, rightUntil)
}

function idOf(keyHash: string, format: VariableFormat): string {
  return `${format} ${keyHash}`
}
