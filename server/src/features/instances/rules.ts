import type { InputOf, Instance, InstanceCount, instances, OutputOf } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { isInReach, outOfReach } from "../../access/out-of-reach.ts"
import { deleteInBatches } from "../../bounds/batches.ts"
import type { Core } from "../../db/core.ts"
import { isoTime } from "../../iso-time.ts"
import * as store from "./store.ts"

export function listInstances(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof instances.list>,
): Promise<OutputOf<typeof instances.list>> {
  return core.snapshot(async (snapshot) => {
    const revision = await store.environmentRevision(snapshot, caller, id)
    if (revision === undefined) throw await outOfReach(snapshot, caller, { environmentId: id })
    const now = Date.now()
    const [counts] = await store.countInstances(snapshot, caller, { environmentId: id }, now)
    const rows = await store.instanceRows(snapshot, caller, id, now)
    const { running = 0, current = 0, gone = 0 } = counts ?? {}
    return { revision, running, current, gone, instances: rows.map((row) => toInstance(row, now)) }
  })
}

export function countInstances(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof instances.count>,
): Promise<InstanceCount[]> {
  return core.snapshot(async (snapshot) => {
    if (!(await isInReach(snapshot, caller, id))) throw await outOfReach(snapshot, caller, { collectionId: id })
    const counts = await store.countInstances(snapshot, caller, { collectionId: id }, Date.now())
    return counts.filter(({ running }) => running > 0)
  })
}

function toInstance(row: store.InstanceRow & { isCurrent: number }, now: number): Instance {
  return {
    id: row.id,
    label: row.label,
    state: row.gone_at <= now ? "gone" : row.isCurrent === 1 ? "current" : "behind",
    revision: row.revision,
    since: isoTime(row.since_at),
    firstSeenAt: isoTime(row.first_seen_at),
    lastSeenAt: isoTime(row.seen_at),
    isWatching: row.is_watching === 1 && row.gone_at > now,
    keyName: row.keyName,
    client: row.client,
    address: row.address,
  }
}

const keepGoneMs = 24 * 3_600_000
const rowsPerBatch = 500

export async function purgeGoneInstances(core: Core): Promise<void> {
  const before = Date.now() - keepGoneMs
  await deleteInBatches(rowsPerBatch, () => core.bookkeep((tx) => store.deleteGone(tx, before, rowsPerBatch)))
}
