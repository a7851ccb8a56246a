import { type VariableFormat, variableFormats } from "@envkeep/contract"
import type { FeedListener } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import type { Change } from "../../db/transaction.ts"
import type { Finished } from "./memory.ts"

/** What a key's holder was last rightly sent, and until when (by `steadyNow`) it was known to be right. */
export interface Kept {
  finished: Finished
  rightAt: number
}

interface Entry {
  finished: Finished
  loadedAt: number
  /** Set once it may be, or is known to be, out of date. */
  outdatedAt: number | undefined
}

interface KeptEnvironment {
  collectionId: number
  entries: Map<string, Entry>
  bytes: number
}

/**
 * For the time when the database is away: what the holder of each key last got, out of date or not. What a key was refused
 * since is not here any more.
 */
export interface LastKnown extends FeedListener {
  keep(keyHash: string, finished: Finished, times: Pick<Entry, "loadedAt" | "outdatedAt">): void
  /** `rightUntil` is how far the node has heard everything. */
  find(keyHash: string, format: VariableFormat, rightUntil: number): Kept | undefined
  /** The key was refused. */
  refused(keyHash: string): void
}

/** What an entry costs beside its body, which is held twice: as bytes, and as what is sent (`quick-read.ts`). */
const entryBytes = 500
const copies = 2

export function createLastKnown(maxBytes: number): LastKnown {
  // In the order in which they were last loaded: a Map keeps the order in which its entries were set.
  const environments = new Map<number, KeptEnvironment>()
  const environmentOf = new Map<string, number>()
  let bytes = 0

  return {
    keep(keyHash, finished, times) {
      const { environmentId, collectionId, format } = finished
      const id = idOf(keyHash, format)
      const one = environments.get(environmentId) ?? { collectionId, entries: new Map<string, Entry>(), bytes: 0 }
      const earlier = one.entries.get(id)
      // Loads may end in another order than they began in.
      if (earlier !== undefined && earlier.loadedAt > times.loadedAt) return
      environments.delete(environmentId)
      environments.set(environmentId, one)
      environmentOf.set(id, environmentId)
      one.entries.set(id, { finished, ...times })
      if (earlier?.finished.body !== finished.body) weigh(one)
      for (const oldest of environments.keys()) {
        if (bytes <= maxBytes) break
        drop(oldest)
      }
    },
    find(keyHash, format, rightUntil) {
      const id = idOf(keyHash, format)
      const entry = environments.get(environmentOf.get(id) ?? 0)?.entries.get(id)
      return entry && { finished: entry.finished, rightAt: rightAt(entry, rightUntil) }
    },
    refused,
    changed(changes) {
      for (const change of changes) {
        if ("environmentId" in change) outdate(change.environmentId, change)
        else for (const [id, one] of environments) if (one.collectionId === change.collectionId) outdate(id, change)
      }
    },
    missed(rightUntil) {
      for (const { entries } of environments.values()) {
        for (const entry of entries.values()) entry.outdatedAt = rightAt(entry, rightUntil)
      }
    },
  }

  function outdate(environmentId: number, { ends }: Change): void {
    const now = steadyNow()
    if (ends === true) drop(environmentId)
    else if (ends !== undefined) refused(ends.keyHash)
    else for (const entry of environments.get(environmentId)?.entries.values() ?? []) entry.outdatedAt ??= now
  }

  function refused(keyHash: string): void {
    for (const format of variableFormats) {
      const id = idOf(keyHash, format)
      const one = environments.get(environmentOf.get(id) ?? 0)
      environmentOf.delete(id)
      if (one?.entries.delete(id)) weigh(one)
    }
  }

  /** Keys of one environment mostly share their bodies; each is counted once. */
  function weigh(one: KeptEnvironment): void {
    const bodies = new Set(Array.from(one.entries.values(), ({ finished }) => finished.body))
    let now = one.entries.size * entryBytes
    for (const body of bodies) now += body.length * copies
    bytes += now - one.bytes
    one.bytes = now
  }

  function drop(environmentId: number): void {
    const one = environments.get(environmentId)
    if (one === undefined) return
    for (const id of one.entries.keys()) environmentOf.delete(id)
    environments.delete(environmentId)
    bytes -= one.bytes
  }
}

function rightAt({ loadedAt, outdatedAt }: Entry, rightUntil: number): number {
  return outdatedAt ?? Math.max(loadedAt, rightUntil)
}

function idOf(keyHash: string, format: VariableFormat): string {
  return `${format} ${keyHash}`
}
