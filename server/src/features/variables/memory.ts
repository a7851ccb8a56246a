import type { VariableFormat } from "@envkeep/contract"
import type { FeedListener } from "../../db/change-feed.ts"
import { steadyNow } from "../../db/clock.ts"
import type { Change } from "../../db/transaction.ts"
import { createLastKnown, type Kept } from "./last-known.ts"

/** The variables of one environment at one revision in one format, ready to be sent. */
export interface Finished {
  environmentId: number
  collectionId: number
  revision: number
  format: VariableFormat
  etag: string
  body: Buffer
  /** Names whose stored values cannot be opened; they are not in the body. */
  damaged: string[]
}

interface Remembered {
  collectionId: number
  keyHashes: Set<string>
  answers: Map<VariableFormat, Finished>
  bytes: number
}

interface Load {
  promise: Promise<Finished>
  begunAt: number
  /** What changed since the load began: its result may be from before. */
  changes: Change[]
  missed: boolean
}

export interface Memory extends FeedListener {
  /** What a key's holder may be sent without asking the database. */
  find(keyHash: string, format: VariableFormat): Finished | undefined
  /** Bytes made earlier for exactly this revision, whoever asked for them. */
  recall(environmentId: number, revision: number, format: VariableFormat): Finished | undefined
  /** Runs `load` once for all who ask meanwhile, and remembers its result unless it may already be out of date. */
  load(keyHash: string, format: VariableFormat, load: () => Promise<Finished>): Promise<Finished>
  /** For when the database is away: what the key's holder was last sent. `rightUntil` is how far all was heard. */
  lastKnown(keyHash: string, format: VariableFormat, rightUntil: number): Kept | undefined
  /** The database does not know the key (any more). */
  refused(keyHash: string): void
  /** What is held now, and how many environments had to go for want of room. */
  state(): { environments: number; bytes: number; evictions: number }
}

const defaultMaxBytes = 64 * 1024 * 1024
/** What an entry costs beside its bodies: a few maps and strings. */
const entryBytes = 1_000
/** Bodies are held twice: as bytes, and as what is sent (`quick-read.ts`). */
const copies = 2
const keyBytes = 300
/** Well below the second within which a change made elsewhere must show, also where nobody has heard of it. */
const joinWithinMs = 200

/** Key hash -> environment -> finished bytes. Bounded: what was not asked for the longest is forgotten first. */
export function createMemory(maxBytes = defaultMaxBytes): Memory {
  const environmentOf = new Map<string, number>()
  // In the order of their last use: a Map keeps the order in which its entries were set.
  const environments = new Map<number, Remembered>()
  const loads = new Map<string, Load>()
  const lastKnown = createLastKnown(maxBytes)
  /** The one used last, which need not be moved: mostly it is asked for again. */
  let newest = 0
  let bytes = 0
  let evictions = 0

  return {
    find(keyHash, format) {
      const environmentId = environmentOf.get(keyHash)
      return environmentId === undefined ? undefined : touched(environmentId)?.answers.get(format)
    },
    recall(environmentId, revision, format) {
      const answer = touched(environmentId)?.answers.get(format)
      return answer?.revision === revision ? answer : undefined
    },
    load(keyHash, format, load) {
      const asked = `${format} ${keyHash}`
      const running = loads.get(asked)
      if (running !== undefined && mayBeJoined(running)) return running.promise
      const begun: Load = { promise: load(), begunAt: steadyNow(), changes: [], missed: false }
      begun.promise = begun.promise
        .then((finished) => {
          keep(keyHash, finished, begun)
          return finished
        })
        .finally(() => {
          if (loads.get(asked) === begun) loads.delete(asked)
        })
      loads.set(asked, begun)
      return begun.promise
    },
    lastKnown: lastKnown.find,
    refused: lastKnown.refused,
    changed(changes) {
      lastKnown.changed(changes)
      for (const load of loads.values()) load.changes.push(...changes)
      for (const change of changes) {
        if ("environmentId" in change) forget(change.environmentId)
        else for (const [id, one] of environments) if (one.collectionId === change.collectionId) forget(id)
      }
    },
    missed(rightUntil) {
      lastKnown.missed(rightUntil)
      for (const load of loads.values()) load.missed = true
      for (const id of environments.keys()) forget(id)
    },
    state: () => ({ environments: environments.size, bytes, evictions }),
  }

  /** Whoever asks now must see a change that has overtaken the load, and one that went unheard while it took its time. */
  function mayBeJoined({ missed, changes, begunAt }: Load): boolean {
    return !missed && changes.length === 0 && steadyNow() - begunAt < joinWithinMs
  }

  function touched(environmentId: number): Remembered | undefined {
    const one = environments.get(environmentId)
    if (one === undefined || environmentId === newest) return one
    environments.delete(environmentId)
    environments.set(environmentId, one)
    newest = environmentId
    return one
  }

  /** What a change has overtaken is not for memory; it is still the last that was known, unless its readers are refused. */
  function keep(keyHash: string, finished: Finished, { begunAt, changes, missed }: Load): void {
    const { environmentId, collectionId } = finished
    const overtaking = changes.filter((change) =>
      "environmentId" in change ? change.environmentId === environmentId : change.collectionId === collectionId,
    )
    const isCurrent = !missed && overtaking.length === 0
    if (isCurrent) remember(keyHash, finished)
    if (overtaking.some(({ ends }) => ends === true || ends?.keyHash === keyHash)) return
    lastKnown.keep(keyHash, finished, { loadedAt: begunAt, outdatedAt: isCurrent ? undefined : begunAt })
  }

  function remember(keyHash: string, finished: Finished): void {
    const { environmentId, collectionId, format, body } = finished
    let one = environments.get(environmentId)
    // Another format may have been made of an earlier revision; the two must never stand side by side.
    if (one !== undefined && [...one.answers.values()].some((other) => other.revision !== finished.revision)) {
      forget(environmentId)
      one = undefined
    }
    one ??= { collectionId, keyHashes: new Set(), answers: new Map(), bytes: entryBytes }
    bytes -= environments.has(environmentId) ? one.bytes : 0
    if (!one.answers.has(format)) one.bytes += body.length * copies
    if (!one.keyHashes.has(keyHash)) one.bytes += keyBytes
    one.answers.set(format, finished)
    one.keyHashes.add(keyHash)
    environments.delete(environmentId)
    environments.set(environmentId, one)
    newest = environmentId
    environmentOf.set(keyHash, environmentId)
    bytes += one.bytes
    for (const id of environments.keys()) {
      if (bytes <= maxBytes) break
      forget(id)
      evictions++
    }
  }

  function forget(environmentId: number): void {
    const one = environments.get(environmentId)
    if (one === undefined) return
    for (const keyHash of one.keyHashes) environmentOf.delete(keyHash)
    environments.delete(environmentId)
    bytes -= one.bytes
  }
}
