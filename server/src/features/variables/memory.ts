import type { VariableFormat } from "@envkeep/contract"
import { LRUCache } from "lru-cache"
import type { KeyCaller } from "../../access/caller.ts"
import { type KeyHolder, mayUse } from "../../access/key-holder.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import { byCollection, type Invalidation } from "../../db/invalidation.ts"
import { createLastKnown, type LastKnown } from "./last-known.ts"
import { type Found, type Loaded, memoryBytes, type Refused, type Rendered, withoutBody } from "./rendered.ts"

/** All formats are of one revision. */
interface ServedEnvironment {
  collectionId: number
  keyHashes: Set<string>
  /** Without its body if that is too large, and only why if the format cannot hold the environment. */
  byFormat: Map<VariableFormat, Rendered | Refused>
  bytes: number
}

interface Load {
  promise: Promise<Loaded>
  startedAt: number
  /** What changed since the load started: its result may be older. */
  changes: Invalidation[]
  mayHaveMissedChanges: boolean
}

const defaultMaxBytes = 64 * 1024 * 1024
/** What an entry costs besides its bodies: a few maps and strings. */
const entryBytes = 1_000
const keyBytes = 300
const headBytes = 400
/** Well below the second within which a change on another node must show, even if this node was not notified. */
const joinWithinMs = 200

/** What is served without rendering it: key hash -> holder -> environment -> bytes. What was not read for longest goes first. */
export class Memory implements FeedListener {
  /** For an outage of the database: what each key got last. */
  readonly lastKnown: LastKnown
  readonly #maxBytes: number
  readonly #holders = new Map<string, KeyHolder>()
  readonly #environments: LRUCache<number, ServedEnvironment>
  /** The last load with each id, for others to join. */
  readonly #newestLoads = new Map<string, Load>()
  /** With those that a newer one has replaced: each must know of every change until its result is kept. */
  readonly #loads = new Set<Load>()
  #evictions = 0

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes
    this.lastKnown = createLastKnown(maxBytes)
    this.#environments = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: ({ keyHashes }, _, reason) => {
        if (reason === "set") return
        for (const keyHash of keyHashes) this.#holders.delete(keyHash)
        if (reason === "evict") this.#evictions++
      },
    })
  }

  /** What a key may read without a query. */
  find(caller: KeyCaller, format: VariableFormat): Found | undefined {
    const holder = this.#holders.get(caller.keyHash)
    if (!mayUse(holder, caller)) return undefined
    const rendered = this.#environments.get(holder.environmentId)?.byFormat.get(format)
    return rendered !== undefined && "body" in rendered ? { holder, rendered } : undefined
  }

  /** What is known of exactly this revision, for any key. */
  findRevision(environmentId: number, revision: number, format: VariableFormat): Rendered | Refused | undefined {
    const known = this.#environments.get(environmentId)?.byFormat.get(format)
    return known?.revision === revision ? known : undefined
  }

  /**
   * Runs `load` once for all concurrent callers with the same id, and keeps its result unless it may already be out of
   * date.
   */
  load(id: string, load: () => Promise<Loaded>): Promise<Loaded> {
    const running = this.#newestLoads.get(id)
    if (running !== undefined && mayBeJoined(running)) return running.promise

    const loading = load()
    const started: Load = { promise: loading, startedAt: steadyNow(), changes: [], mayHaveMissedChanges: false }
    started.promise = loading
      .then((loaded) => {
        this.#keepLoaded(loaded, started)
        return loaded
      })
      .finally(() => {
        this.#loads.delete(started)
        if (this.#newestLoads.get(id) === started) this.#newestLoads.delete(id)
      })
    this.#loads.add(started)
    this.#newestLoads.set(id, started)
    return started.promise
  }

  /**
   * The database has this revision, whether this node was notified of it or not. From now on no earlier one is found: a
   * watcher that was told of the revision would not read again.
   */
  sawRevision(environmentId: number, revision: number): void {
    for (const load of this.#loads) load.changes.push({ environmentId })
    const served = this.#environments.peek(environmentId)
    if (served === undefined || revisionOf(served) < revision) this.#environments.delete(environmentId)
  }

  changed(changes: Invalidation[]): void {
    this.lastKnown.changed(changes)
    for (const load of this.#loads) load.changes.push(...changes)
    for (const change of changes) if ("environmentId" in change) this.#environments.delete(change.environmentId)
    const collections = byCollection(changes)
    if (collections.size === 0) return
    for (const [id, { collectionId }] of this.#environments.entries()) {
      if (collections.has(collectionId)) this.#environments.delete(id)
    }
  }

  mayHaveMissedChanges(lastInSyncAt: number): void {
    this.lastKnown.mayHaveMissedChanges(lastInSyncAt)
    for (const load of this.#loads) load.mayHaveMissedChanges = true
    // Bodies stay: after one query that finds the same revision they are current again.
    this.#holders.clear()
    for (const { keyHashes } of this.#environments.values()) keyHashes.clear()
  }

  /** What is held now, and how many environments were evicted to make room. */
  state(): { environments: number; bytes: number; evictions: number } {
    const { size, calculatedSize } = this.#environments
    return { environments: size, bytes: calculatedSize, evictions: this.#evictions }
  }

  /** A load that a change has overtaken is not served. It is still the last known answer, unless the key has ended. */
  #keepLoaded({ holder, rendered }: Loaded, { startedAt, changes, mayHaveMissedChanges }: Load): void {
    if (!("body" in rendered)) return
    const { environmentId, collectionId } = rendered
    const overtaking = changes.filter(
      (change) =>
        ("environmentId" in change && change.environmentId === environmentId) ||
        ("collectionId" in change && change.collectionId === collectionId),
    )
    const isCurrent = !mayHaveMissedChanges && overtaking.length === 0
    if (overtaking.length === 0) this.keep(rendered, isCurrent ? holder : undefined)
    if (overtaking.some(({ ends }) => ends === true || ends?.keyHash === holder.keyHash)) return
    this.lastKnown.keep({ holder, rendered }, { loadedAt: startedAt, outdatedAt: isCurrent ? undefined : startedAt })
  }

  /** Without a holder it is only found by its revision. */
  keep(known: Rendered | Refused, holder?: KeyHolder): void {
    const { environmentId, collectionId } = known
    const before = this.#environments.get(environmentId)
    const isOther = before !== undefined && revisionOf(before) !== known.revision
    if (isOther && holder === undefined && revisionOf(before) > known.revision) return
    // Two revisions must never be served side by side.
    if (isOther) this.#environments.delete(environmentId)
    const kept = isOther ? undefined : before

    const keyHashes = kept?.keyHashes ?? new Set()
    if (holder !== undefined) {
      keyHashes.add(holder.keyHash)
      this.#holders.set(holder.keyHash, holder)
    }
    const served = servedWith(kept, known, { collectionId, keyHashes })
    // One very large environment must not replace all others.
    const isLarge = served.bytes > this.#maxBytes / 4
    const added = isLarge ? servedWith(kept, withoutBody(known), { collectionId, keyHashes }) : served
    this.#environments.set(environmentId, added)
    // The cache does not take what is too large for it.
    if (!this.#environments.has(environmentId)) for (const keyHash of keyHashes) this.#holders.delete(keyHash)
  }
}

/** A reader that arrives now must see every change made since the load started, even one not known here yet. */
function mayBeJoined({ mayHaveMissedChanges, changes, startedAt }: Load): boolean {
  return !mayHaveMissedChanges && changes.length === 0 && steadyNow() - startedAt < joinWithinMs
}

function servedWith(
  before: ServedEnvironment | undefined,
  known: Rendered | Refused,
  rest: Pick<ServedEnvironment, "collectionId" | "keyHashes">,
): ServedEnvironment {
  const byFormat = new Map(before?.byFormat).set(known.format, known)
  const bytes = Array.from(byFormat.values(), bytesOf).reduce((sum, one) => sum + one, 0)
  return { ...rest, byFormat, bytes: entryBytes + rest.keyHashes.size * keyBytes + bytes }
}

function revisionOf({ byFormat }: ServedEnvironment): number {
  const [one] = byFormat.values()
  return one?.revision ?? 0
}

function bytesOf(known: Rendered | Refused): number {
  if ("body" in known) return memoryBytes(known)
  return headBytes + ("sentence" in known ? known.sentence : known.damaged).length
}
