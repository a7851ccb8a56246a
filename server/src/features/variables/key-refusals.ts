import type { KeyRefusal } from "@envkeep/contract"
import { isFirstRefusalOfDay, isRefusalSaid } from "../../access/attempts/rules.ts"
import { theServer } from "../../access/caller.ts"
import { existingKeys, type RefusedUse } from "../../access/key-holder.ts"
import { networkOf } from "../../access/network.ts"
import { workInBatches } from "../../bounds/batches.ts"
import type { Door } from "../../core/core.ts"
import { dayMs } from "../../durations.ts"
import * as store from "./store.ts"

/**
 * Counts uses of keys that were refused, for those who manage the keys. A job saves the counts together: a program that
 * goes on trying with an expired key costs no write.
 */
export interface KeyRefusals {
  note(use: RefusedUse): void
  flush(): Promise<void>
}

/** Beside the day itself. */
export const keptRefusalDays = 30
const maxSums = 10_000
const sumsPerBatch = 250
/** For each key, day and reason. The others are counted together, so no one can fill the store. */
const maxNetworks = 20
/** In a day. A program that starts with an old key tries a few times. */
const refusedOften = 10

export function createKeyRefusals(door: Door): KeyRefusals {
  let sums = new Map<string, store.KeyRefusalSum>()

  function add({ refused, lastAt, ...sum }: store.KeyRefusalSum): void {
    const id = idOf(sum)
    const before = sums.get(id)
    if (before === undefined && sums.size >= maxSums) return
    sums.set(id, { ...sum, refused: refused + (before?.refused ?? 0), lastAt: Math.max(lastAt, before?.lastAt ?? 0) })
  }

  async function flush(): Promise<void> {
    const all = [...sums.values()]
    sums = new Map()
    await workInBatches(all, sumsPerBatch, (some) => save(door, some), add)
  }

  return {
    note({ caller, keyId, reason }) {
      if (keyId === undefined || reason === undefined) return
      const now = Date.now()
      add({ keyId, reason, dayAt: dayOf(now), network: networkOf(caller.address), refused: 1, lastAt: now })
    },
    flush,
  }
}

async function save(door: Door, batch: readonly store.KeyRefusalSum[]): Promise<void> {
  const keyIds = [...new Set(batch.map(({ keyId }) => keyId))]
  const existing = await existingKeys(door.db, keyIds)
  const live = batch.filter(({ keyId }) => existing.has(keyId))
  if (live.length === 0) return
  const bounded = withFewNetworks(
    live,
    await store.refusedNetworks(door.db, [...existing], [...new Set(live.map(({ dayAt }) => dayAt))]),
  )
  await door.bookkeep(async (tx) => {
    await store.addRefusals(tx, bounded)
    await store.setLastRefused(tx, [...existing], Math.max(...bounded.map(({ lastAt }) => lastAt)))
  })
  const today = dayOf(Date.now())
  const often = await store.oftenRefused(door.db, [...existing], { dayAt: today, atLeast: refusedOften })
  for (const key of often) {
    if (!(await isRefusalSaid(door.db, key.keyId, today))) await sayOftenRefused(door, key, today)
  }
}

/** Once for each key and day, as an event that its managers see. */
function sayOftenRefused(
  door: Door,
  { keyId, environmentId, refused }: store.OftenRefused,
  dayAt: number,
): Promise<void> {
  return door.change(theServer, "api-key.refuse", async (tx, notes) => {
    if (!(await isFirstRefusalOfDay(tx, keyId, dayAt))) return notes.nothingChanged()
    notes.about({ apiKeyId: keyId, environmentId, counts: { refused } })
  })
}

type Place = Pick<store.KeyRefusalSum, "keyId" | "dayAt" | "reason" | "network">

/** In the same order on every node: two that add to the same rows must not wait for each other in a circle. */
function withFewNetworks(sums: readonly store.KeyRefusalSum[], stored: readonly Place[]): store.KeyRefusalSum[] {
  const known = new Map<string, Set<string>>()
  for (const place of stored) networksIn(known, place).add(place.network)
  const bounded = new Map<string, store.KeyRefusalSum>()
  for (const sum of sums) {
    const networks = networksIn(known, sum)
    const network = networks.has(sum.network) || networks.size < maxNetworks ? sum.network : ""
    networks.add(network)
    const id = idOf({ ...sum, network })
    const before = bounded.get(id)
    bounded.set(id, { ...sum, network, refused: sum.refused + (before?.refused ?? 0) })
  }
  return [...bounded].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}

function networksIn(known: Map<string, Set<string>>, place: Place): Set<string> {
  const id = idOf({ ...place, network: "" })
  const networks = known.get(id) ?? new Set<string>()
  known.set(id, networks)
  return networks
}

function idOf({ keyId, dayAt, reason, network }: Place & { reason: KeyRefusal }): string {
  return `${keyId} ${dayAt} ${reason} ${network}`
}

function dayOf(time: number): number {
  return time - (time % dayMs)
}
