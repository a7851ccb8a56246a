import { atLevel, type Member } from "../../../access/caller.ts"
import { outOfReach } from "../../../access/out-of-reach.ts"
import { eachWithPauses } from "../../../bounds/turns.ts"
import type { Core } from "../../../core/core.ts"
import type { Reader } from "../../../db/schema.ts"
import { baseIdsOf } from "../inheritance/rules.ts"
import { itemsOf } from "../items/listing.ts"
import * as environmentStore from "../store.ts"

/** An environment that is copied from, as readers get it at one moment: with what it inherits. */
export interface CopySource {
  id: number
  name: string
  collectionId: number
  revision: number
  isProtected: boolean
  /** By name. A damaged one is null. */
  values: ReadonlyMap<string, string | null>
}

/** Takes a snapshot. Only who may see all values can copy them: in a protected environment, maintainers. */
export async function readSource(
  snapshot: Reader,
  { vault }: Core,
  caller: Member,
  environmentId: number,
): Promise<CopySource> {
  const reader = atLevel(caller, "reader")
  const ids = await withBases(snapshot, environmentId)
  const scope = { environmentIds: ids }
  const rows = await environmentStore.shownEnvironments(snapshot, reader, scope)
  const row = rows.find((one) => one.id === environmentId)
  if (row === undefined) throw await outOfReach(snapshot, reader, { environmentId })
  const dataKey = await vault.dataKey(snapshot, row.collectionId, row.wrappedKey)
  const items = await itemsOf(snapshot, reader, { scope, environments: rows }, dataKey)
  const values = new Map<string, string | null>()
  // Nearest first: what is further away is overridden.
  for (const id of ids) {
    await eachWithPauses(items.get(id) ?? [], (item) => {
      if (!values.has(item.name)) values.set(item.name, item.value)
    })
  }
  const { id, name, collectionId, revision, isProtected } = row
  return { id, name, collectionId, revision, isProtected, values }
}

/** How much is loaded to read an environment with what it inherits. */
export async function bytesWithBases({ db }: Core, caller: Member, environmentId: number): Promise<number> {
  return environmentStore.loadedBytesIn(db, atLevel(caller, "reader"), {
    environmentIds: await withBases(db, environmentId),
  })
}

async function withBases(db: Reader, environmentId: number): Promise<number[]> {
  return [environmentId, ...(await baseIdsOf(db, environmentId))]
}
