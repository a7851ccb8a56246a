import {
  type EnvironmentSummary,
  type environments,
  type InputOf,
  type Item,
  type items,
  sentences,
} from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import type { Core } from "../../../db/core.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import { conflict, notFound, unlessTaken } from "../../../errors.ts"
import { type DataKey, openSecret, type Vault } from "../../../keys/secrets.ts"
import { type LockedEnvironment, lockEnvironment } from "../lock.ts"
import type { Scope } from "../scope.ts"
import { changeItems, type ItemsChange } from "./change-items.ts"
import { oneAtATime } from "./one-at-a-time.ts"
import * as store from "./store.ts"

export function createItem(
  core: Core,
  caller: Member,
  { name, value, subCollectionId }: InputOf<typeof items.create>,
): Promise<Item> {
  return unlessTaken(sentences.itemNameTaken, () =>
    core.change(caller, "item.add", async (tx, notes) => {
      const environment = await lockEnvironment(tx, core.vault, caller, subCollectionId)
      const { id = 0 } = await changeItems(tx, notes, environment, { put: [{ name, value }], remove: [] })
      return { id, name, value, subCollectionId }
    }),
  )
}

/** Saving what is already there changes nothing: readers do not see a new revision. */
export function updateItem(
  core: Core,
  caller: Member,
  { id, name, value }: InputOf<typeof items.update>,
): Promise<Item> {
  return unlessTaken(sentences.itemNameTaken, () =>
    core.change(caller, "item.edit", async (tx, notes) => {
      const { held, environment } = await lockItem(tx, core.vault, caller, id)
      const heldValue = opened(held, environment.dataKey)
      if (held.name === name && heldValue === value) notes.nothingChanged()
      else {
        const heldTotals = await totalsBeside(tx, environment, heldValue)
        await changeItems(tx, notes, environment, { put: [{ name, value, held }], remove: [], ...heldTotals })
      }
      return { id, name, value, subCollectionId: environment.id }
    }),
  )
}

export function deleteItem(core: Core, caller: Member, { id }: InputOf<typeof items.remove>): Promise<null> {
  return core.change(caller, "item.delete", async (tx, notes) => {
    const { held, environment } = await lockItem(tx, core.vault, caller, id)
    const heldTotals = await totalsBeside(tx, environment, opened(held, environment.dataKey))
    await changeItems(tx, notes, environment, { put: [], remove: [held], ...heldTotals })
    return null
  })
}

/** A damaged row may no longer have the length that was added for it, so then the rows are counted. */
async function totalsBeside(
  tx: Tx,
  environment: LockedEnvironment,
  heldValue: string | null,
): Promise<Pick<ItemsChange, "heldTotals">> {
  return heldValue === null ? { heldTotals: await store.totalsOf(tx, environment) } : {}
}

const oneBulkSavePerUser = oneAtATime<number>()

/**
 * Makes the environment hold exactly this list. A user's bulk saves take turns before they take a connection, so that no
 * user can occupy all connections.
 */
export function saveAllItems(
  core: Core,
  caller: Member,
  { id, items, revision }: InputOf<typeof environments.saveAll>,
): Promise<EnvironmentSummary> {
  return oneBulkSavePerUser(caller.userId, () =>
    core.change(caller, "items.save", async (tx, notes) => {
      const environment = await lockEnvironment(tx, core.vault, caller, id)
      if (revision !== undefined && revision !== environment.revision) throw conflict(sentences.changedMeanwhile)
      const change = differences(environment, await store.heldItems(tx, environment), items)
      const isCounted =
        change.heldTotals.itemCount === environment.itemCount &&
        change.heldTotals.sealedBytes === environment.sealedBytes
      if (isCounted && change.put.length === 0 && change.remove.length === 0) {
        notes.nothingChanged()
        return environment
      }
      return (await changeItems(tx, notes, environment, change)).environment
    }),
  )
}

type Wanted = InputOf<typeof environments.saveAll>["items"]

function differences(
  environment: LockedEnvironment,
  heldItems: store.ItemRow[],
  wanted: Wanted,
): ItemsChange & { heldTotals: store.Totals } {
  const put = new Map<string, { name: string; value: string; held?: store.ItemRow }>(
    wanted.map((item) => [item.name, item]),
  )
  const remove: store.ItemRow[] = []
  const heldTotals = { itemCount: heldItems.length, sealedBytes: 0 }
  for (const held of heldItems) {
    heldTotals.sealedBytes += held.sealedValue.length
    const item = put.get(held.name)
    if (item === undefined) remove.push(held)
    else if (opened(held, environment.dataKey) === item.value) put.delete(held.name)
    else put.set(held.name, { ...item, held })
  }
  return { put: [...put.values()], remove, heldTotals }
}

/** The items in scope by environment, sorted by id; a value that cannot be opened is null. */
export async function itemsOf(
  db: Reader,
  caller: Member,
  scope: Scope,
  keys: ReadonlyMap<number, DataKey>,
): Promise<Map<number, Item[]>> {
  const rows = await store.itemRows(db, caller, scope)
  const items = rows.map((row) => ({
    id: row.id,
    name: row.name,
    value: opened(row, keys.get(row.environmentId)),
    subCollectionId: row.environmentId,
  }))
  return Map.groupBy(items, (item) => item.subCollectionId)
}

/** The item and its environment, locked. Looked up again under the lock: another writer may have been faster. */
async function lockItem(tx: Tx, vault: Vault, caller: Member, itemId: number) {
  const found = await store.itemRow(tx, caller, itemId)
  if (found === undefined) throw notFound("Item")
  const environment = await lockEnvironment(tx, vault, caller, found.environmentId)
  const held = await store.itemRow(tx, caller, itemId)
  if (held === undefined) throw notFound("Item")
  return { held, environment }
}

function opened({ environmentId, name, sealedValue }: store.ItemRow, key: DataKey): string | null {
  return openSecret(key, sealedValue, { kind: "item", environmentId, name })
}
