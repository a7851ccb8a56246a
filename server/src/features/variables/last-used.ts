import type { KeyCaller } from "../../access/caller.ts"
import { networkOf } from "../../access/network.ts"
import { programOf } from "../../access/program.ts"
import { workInBatches } from "../../bounds/batches.ts"
import type { Door } from "../../core/core.ts"
import { hourMs } from "../../durations.ts"
import * as store from "./store.ts"

/** Counts how keys are used. A job saves all counts together, so that no read waits for a write. */
export interface LastUsed {
  note(caller: KeyCaller): void
  /** A key is read that was never used before. */
  noteFirst(): void
  flush(): Promise<void>
  /** Saves at once what would wait, if a key was used for the first time: its maker may be waiting to see that. */
  flushFirst(): Promise<void>
}

/** How often a key read from one network since the last flush. */
interface Sum {
  caller: KeyCaller
  network: string
  reads: number
}

/** Connections with many different headers make a caller for each read. They are summed up before they fill the memory. */
const maxCallers = 10_000
const maxKnownNetworks = 50_000
const sumsPerBatch = 250

export function createLastUsed(door: Door): LastUsed {
  let callers: KeyCaller[] = []
  let sums = new Map<string, Sum>()
  /** From where each key was used before, as far as this process knows. */
  const knownNetworks = new Set<string>()
  let hasFirst = false

  /** All that a read costs: a caller that is in use is counted up. */
  function note(caller: KeyCaller): void {
    if (caller.reads++ > 0) return
    if (callers.push(caller) >= maxCallers) sumUp()
  }

  function sumUp(): void {
    for (const caller of callers) {
      const network = networkOf(caller.address)
      add({ caller, network, reads: caller.reads })
      caller.reads = 0
    }
    callers = []
  }

  function add({ caller, network, reads }: Sum): void {
    const id = `${caller.keyHash} ${network}`
    sums.set(id, { caller, network, reads: (sums.get(id)?.reads ?? 0) + reads })
  }

  async function flush(): Promise<void> {
    sumUp()
    if (sums.size === 0) return
    const all = [...sums.values()]
    sums = new Map()
    hasFirst = false
    // What fails is counted again at the next flush. A statement that was saved before it failed is counted twice.
    await workInBatches(all, sumsPerBatch, save, add)
  }

  async function save(batch: readonly Sum[]): Promise<void> {
    const now = Date.now()
    const keys = await store.keysByHash(
      door.db,
      batch.map(({ caller }) => caller.keyHash),
    )
    const reads = batch.flatMap(({ caller, network, reads }) => {
      const key = keys.get(caller.keyHash)
      return key === undefined ? [] : [{ key, caller, network, reads, hourAt: now - (now % hourMs), lastAt: now }]
    })
    const unknown = reads.filter(({ key, network }) => !knownNetworks.has(`${key.id} ${network}`))
    const knownBefore = await store.networksOf(door.db, unknown)
    for (const read of unknown) {
      const network = `${read.key.id} ${read.network}`
      if (!knownBefore.has(network)) await recordNewNetwork(read)
      // Not before the event is written: if that fails, the next flush writes it.
      if (knownNetworks.size >= maxKnownNetworks) knownNetworks.clear()
      knownNetworks.add(network)
    }
    const uses = batch.map(({ caller: { keyHash, client }, network }) => ({
      keyHash,
      by: programOf(client),
      from: network,
    }))
    await door.bookkeep(async (tx) => {
      // In this order on every node: two that add to the same rows must not wait for each other in a circle.
      await store.addReads(
        tx,
        reads.toSorted((one, other) => one.key.id - other.key.id || (one.network < other.network ? -1 : 1)),
      )
      await store.setLastUsed(tx, uses, now)
    })
  }

  /** Its row begins at 0 reads and shows other nodes that the network is known. */
  function recordNewNetwork(read: store.KeyReads): Promise<void> {
    const { id: apiKeyId, environmentId, collectionId, ownerId: userId } = read.key
    return door.change(read.caller, "api-key.new-address", async (tx, notes) => {
      const isFirst = await store.beginReads(tx, read)
      if (isFirst) notes.about({ userId, collectionId, environmentId, apiKeyId })
      else notes.nothingChanged()
    })
  }

  return {
    note,
    noteFirst() {
      hasFirst = true
    },
    flush,
    flushFirst: async () => (hasFirst ? flush() : undefined),
  }
}
