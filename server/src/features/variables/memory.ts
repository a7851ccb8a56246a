import type { VariableFormat } from "@envkeep/contract"
import { LRUCache } from "lru-cache"
import { type KeyHolder, mayUse } from "../../access/key-holder.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import type { Invalidation } from "../../db/invalidation.ts"
import type { Finished, Loaded } from "./finished.ts"
import { createLastKnown, type Kept } from "./last-known.ts"

interface Remembered {
  collectionId: number
  keyHashes: Set<string>
  answers: Map<VariableFormat, Finished>
  bytes: number
}

interface Load {
  promise: Promise<Finished>
  startedAt: number
  /** What changed since the load started: its result may be from before. */
  changes: Invalidation[]
  missed: boolean
}

export interface Memory extends FeedListener {
  /** What a key's holder may be sent without asking the database. */
  find(keyHash: string, format: VariableFormat): Finished | undefined
  /** Bytes made earlier for exactly this revision, for whichever key. */
  recall(environmentId: number, revision: number, format: VariableFormat): Finished | undefined
  /** Runs `load` once for all concurrent callers, and remembers its result unless it may already be out of date. */
  load(keyHash: string, format: VariableFormat, load: () => Promise<Loaded>): Promise<Finished>
  /** For an outage of the database: what the key's holder was last sent. `rightUntil` is how far all was heard. */
  lastKnown(keyHash: string, format: VariableFormat, rightUntil: number): Kept | undefined
  /** The database does not know the key (any more). */
  refused(keyHash: string): void
  /** What is held now, and how many environments were evicted for want of room. */
  state(): { environments: number; bytes: number; evictions: number }
}

const defaultMaxBytes = 64 * 1024 * 1024
/** What an entry costs beside its bodies: a few maps and strings. */
const entryBytes = 1_000
/** Bodies are held twice: as bytes, and as the string that is sent (`answer.ts`). */
const copies = 2
const keyBytes = 300
/** Well below the second within which a change made elsewhere must show, also where this node has not heard of it. */
const joinWithinMs = 200

/** Key hash -> holder -> environment -> finished bytes. Bounded: the least recently used environment goes first. */
export function createMemory(maxBytes = defaultMaxBytes): Memory {
  const holders = new Map<string, KeyHolder>()
  const environments = new LRUCache<number, Remembered>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    dispose(one, _, reason) {
      if (reason === "set") return
      for (const keyHash of one.keyHashes) holders.delete(keyHash)
      if (reason === "evict") evictions++
    },
  })
  const loads = new Map<string, Load>()
  const lastKnown = createLastKnown(maxBytes)
  let evictions = 0

  return {
    find(keyHash, format) {
      const holder = holders.get(keyHash)
      return mayUse(holder) ? environments.get(holder.environmentId)?.answers.get(format) : undefined
    },
    recall(environmentId, revision, format) {
      const answer = environments.get(environmentId)?.answers.get(format)
      return answer?.revision === revision ? answer : undefined
    },
    load(keyHash, format, load) {
      const wanted = `${format} ${keyHash}`
      const running = loads.get(wanted)
      if (running !== undefined && mayBeJoined(running)) return running.promise
      const loading = load()
      const started: Load = { promise: loading.then(keep), startedAt: steadyNow(), changes: [], missed: false }
      started.promise = started.promise.finally(() => {
        if (loads.get(wanted) === started) loads.delete(wanted)
      })
      loads.set(wanted, started)
      return started.promise

      function keep(loaded: Loaded): Finished {
        keepLoaded(loaded, started)
        return loaded.finished
      }
    },
    lastKnown: lastKnown.find,
    refused: lastKnown.refused,
    changed(changes) {
      lastKnown.changed(changes)
      for (const load of loads.values()) load.changes.push(...changes)
      for (const change of changes) {
        if ("environmentId" in change) environments.delete(change.environmentId)
        else deleteCollection(change.collectionId)
      }
    },
    missed(rightUntil) {
      lastKnown.missed(rightUntil)
      for (const load of loads.values()) load.missed = true
      environments.clear()
    },
    state: () => ({ environments: environments.size, bytes: environments.calculatedSize, evictions }),
  }

  /** A reader that comes now must see a change that overtook the load, also one that this node has not heard of. */
  function mayBeJoined({ missed, changes, startedAt }: Load): boolean {
    return !missed && changes.length === 0 && steadyNow() - startedAt < joinWithinMs
  }

  function deleteCollection(collectionId: number): void {
    for (const [id, one] of environments.entries()) if (one.collectionId === collectionId) environments.delete(id)
  }

  /** An overtaken load is not for memory. It is still the last known, unless its reader is to be refused. */
  function keepLoaded({ holder, finished }: Loaded, { startedAt, changes, missed }: Load): void {
    const { environmentId, collectionId } = finished
    const overtaking = changes.filter((change) =>
      "environmentId" in change ? change.environmentId === environmentId : change.collectionId === collectionId,
    )
    const isCurrent = !missed && overtaking.length === 0
    if (isCurrent) remember(holder, finished)
    if (overtaking.some(({ ends }) => ends === true || ends?.keyHash === holder.keyHash)) return
    lastKnown.keep({ holder, finished }, { loadedAt: startedAt, outdatedAt: isCurrent ? undefined : startedAt })
  }

  function remember(holder: KeyHolder, finished: Finished): void {
    const { environmentId, collectionId, format } = finished
    let held = environments.get(environmentId)
    // Another format may come from an earlier revision; the two must never be served side by side.
    if (held !== undefined && [...held.answers.values()].some((other) => other.revision !== finished.revision)) {
      environments.delete(environmentId)
      held = undefined
    }
    const answers = new Map(held?.answers).set(format, finished)
    const keyHashes = (held?.keyHashes ?? new Set()).add(holder.keyHash)
    let bytes = entryBytes + keyHashes.size * keyBytes
    for (const { body } of answers.values()) bytes += body.length * copies
    holders.set(holder.keyHash, holder)
    environments.set(environmentId, { collectionId, keyHashes, answers, bytes })
    // Too large to be held at all.
    if (!environments.has(environmentId)) for (const keyHash of keyHashes) holders.delete(keyHash)
  }
}
