import {
  type EnvironmentSummary,
  type environments,
  type InputOf,
  type Item,
  type items,
  sentences,
} from "@envkeep/contract"
import type { Action } from "../../../access/actions.ts"
import type { Member } from "../../../access/caller.ts"
import { outOfReach } from "../../../access/out-of-reach.ts"
import { mapWithPauses } from "../../../bounds/turns.ts"

import { type Core, type Notes, oneChangePerUser } from "../../../core/core.ts"
import type { Tx } from "../../../db/schema.ts"
import { conflict, notFound, unlessTaken } from "../../../errors.ts"
import { sealBytes, sealedLength } from "../../../keys/seal.ts"
import type { DataKey } from "../../../keys/secrets.ts"
import { changeEnvironment, type LockedEnvironment } from "../change-environment.ts"
import { refuseIfChanged, refuseIfListChanged, type SeenItem } from "../conflicts/rules.ts"
import { bytesOf, changeItems, type ItemsChange, openValue, type PutItem } from "./change-items.ts"
import * as store from "./store.ts"

export function createItem(
  core: Core,
  caller: Member,
  { name, value, subCollectionId, note }: InputOf<typeof items.create>,
): Promise<Item> {
  return unlessTaken(sentences.itemNameTaken, () =>
    changeEnvironment(
      core,
      caller,
      { action: "item.add", environmentId: subCollectionId, note },
      async (tx, notes, environment) => {
        const done = await changeItems(tx, notes, environment, { put: [{ name, value }], remove: [] })
        return { id: done.id ?? 0, name, value, subCollectionId, revision: done.environment.revision }
      },
    ),
  )
}

/** Saving what is already stored changes nothing: readers see no new revision, and no change is lost. */
export function updateItem(
  core: Core,
  caller: Member,
  { id, name, value, revision, note }: InputOf<typeof items.update>,
): Promise<Item> {
  return unlessTaken(sentences.itemNameTaken, () =>
    changeItem(core, caller, { action: "item.edit", id, note }, async (tx, notes, environment, stored) => {
      const storedValue = openValue(stored, environment.dataKey)
      const item = { id, name, value, subCollectionId: environment.id }
      if (stored.name === name && storedValue === value) {
        notes.nothingChanged()
        return { ...item, revision: stored.revision }
      }
      await refuseIfChanged(tx, environment, [{ stored, revision }], sentences.itemChangedMeanwhile)
      const totals = await recountIfDamaged(tx, environment, storedValue)
      const put = [{ name, value, stored: storedItem(stored) }]
      const done = await changeItems(tx, notes, environment, { put, remove: [], ...totals })
      return { ...item, revision: done.environment.revision }
    }),
  )
}

export function deleteItem(
  core: Core,
  caller: Member,
  { id, revision, note }: InputOf<typeof items.remove>,
): Promise<null> {
  return changeItem(core, caller, { action: "item.delete", id, note }, async (tx, notes, environment, stored) => {
    await refuseIfChanged(tx, environment, [{ stored, revision }], sentences.deletedItemChangedMeanwhile)
    const totals = await recountIfDamaged(tx, environment, openValue(stored, environment.dataKey))
    await changeItems(tx, notes, environment, { put: [], remove: [storedItem(stored)], ...totals })
    return null
  })
}

/** A damaged value may have lost its original length, so its length cannot just be subtracted from the totals. */
async function recountIfDamaged(
  tx: Tx,
  environment: LockedEnvironment,
  storedValue: string | null,
): Promise<Pick<ItemsChange, "storedTotals">> {
  return storedValue === null ? { storedTotals: await store.countTotals(tx, environment) } : {}
}

/**
 * A user's bulk saves wait for each other, in whatever environments: on SQLite each keeps all other writers waiting. What
 * waits for something else must do so before, because it leaves its place to calls that may wait here.
 */
export function oneBulkSavePerUser<Result>(caller: Member, save: () => Promise<Result>): Promise<Result> {
  return oneChangePerUser(caller, "bulk save", save)
}

/** Replaces all items of the environment with this list. */
export function saveAllItems(
  core: Core,
  caller: Member,
  { id, items, revision, note }: InputOf<typeof environments.saveAll>,
): Promise<EnvironmentSummary> {
  return oneBulkSavePerUser(caller, () =>
    changeEnvironment(
      core,
      caller,
      { action: "items.save", environmentId: id, note },
      async (tx, notes, environment) => {
        await refuseIfChangedSince(tx, environment, revision)
        return replaceItems(tx, notes, environment, { items })
      },
    ),
  )
}

/** For a change that was made from the whole list of a locked environment's items at a revision. */
export async function refuseIfChangedSince(
  tx: Tx,
  environment: LockedEnvironment,
  revision: number | undefined,
  sentence: string = sentences.changedMeanwhile,
): Promise<void> {
  await refuseIfListChanged(tx, environment, { revision, sentence }, (names) => idsOf(tx, environment, names))
}

/** Of a locked environment's items that there are. */
export async function idsOf(
  tx: Tx,
  environment: LockedEnvironment,
  names: string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = names.length === 0 ? [] : await store.itemsNamed(tx, environment, names)
  return new Map(rows.map((row) => [row.name, row.id]))
}

/** Makes a locked environment hold exactly these items, under the ids that they had if a revision is restored. */
export async function replaceItems(
  tx: Tx,
  notes: Notes,
  environment: LockedEnvironment,
  { items, ids, source }: { items: Wanted; ids?: ReadonlyMap<string, number>; source?: number },
): Promise<EnvironmentSummary> {
  const change = await differences(tx, environment, items, ids)
  const areTotalsRight =
    change.storedTotals.itemCount === environment.itemCount &&
    (environment.countsNames === 0 || change.storedTotals.sealedBytes === environment.sealedBytes)
  if (areTotalsRight && change.put.length === 0 && change.remove.length === 0) {
    notes.nothingChanged()
    return environment
  }
  const restored = source === undefined ? {} : { source }
  return (await changeItems(tx, notes, environment, { ...change, ...restored })).environment
}

/** Gives names of a locked environment these values, whether they exist or not. Other items stay as they are. */
export async function mergeItems(
  tx: Tx,
  notes: Notes,
  environment: LockedEnvironment,
  { items, ...from }: { items: Wanted } & Pick<ItemsChange, "source" | "sourceEnvironment">,
): Promise<{ environment: EnvironmentSummary; changed: number }> {
  const { put, storedTotals } = await differences(tx, environment, items)
  if (put.length === 0) {
    notes.nothingChanged()
    return { environment, changed: 0 }
  }
  const done = await changeItems(tx, notes, environment, { put, remove: [], storedTotals, ...from })
  return { environment: done.environment, changed: put.length }
}

/** Gives a name of a locked environment a value that it had, whether it exists or not. */
export async function restoreNamed(
  tx: Tx,
  notes: Notes,
  environment: LockedEnvironment,
  { item: { id, name, value }, source }: { item: Wanted[number] & { id: number }; source: number },
): Promise<EnvironmentSummary> {
  const [row] = await store.itemsNamed(tx, environment, [name])
  const storedValue = row && openValue(row, environment.dataKey)
  if (storedValue === value) {
    notes.nothingChanged()
    return environment
  }
  const totals = row === undefined ? {} : await recountIfDamaged(tx, environment, storedValue ?? null)
  const put =
    row === undefined ? await returning(tx, environment, { id, name, value }) : { name, value, stored: storedItem(row) }
  return (await changeItems(tx, notes, environment, { put: [put], remove: [], source, ...totals })).environment
}

/** An item that has another name since then keeps its place, and the one that comes back gets a new one. */
async function returning(
  tx: Tx,
  environment: LockedEnvironment,
  { id, ...item }: Wanted[number] & { id: number },
): Promise<PutItem> {
  const isTaken = (await store.itemWithId(tx, environment, id)) !== undefined
  return isTaken ? item : { ...item, returningId: id }
}

/** Saves edited items and adds new ones, all or none. Other items of the environment stay as they are. */
export function saveItems(
  core: Core,
  caller: Member,
  { id, items: wanted, note }: InputOf<typeof items.saveMany>,
): Promise<Item[]> {
  return oneBulkSavePerUser(caller, () =>
    changeEnvironment(
      core,
      caller,
      { action: "items.save", environmentId: id, note },
      async (tx, notes, environment) => {
        const { put, isDamaged } = await edits(tx, environment, wanted)
        if (put.length === 0) notes.nothingChanged()
        else {
          await refuseTakenNames(tx, environment, put)
          const totals = isDamaged ? { storedTotals: await store.countTotals(tx, environment) } : {}
          await changeItems(tx, notes, environment, { put, remove: [], ...totals })
        }
        const names = wanted.map(({ name }) => name)
        const rows = new Map((await store.itemsNamed(tx, environment, names)).map((row) => [row.name, row]))
        return wanted.map(({ name, value }) => {
          const { id: itemId = 0, revision = 0 } = rows.get(name) ?? {}
          return { id: itemId, name, value, subCollectionId: id, revision }
        })
      },
    ),
  )
}

/** What has to be written: items that are already stored in this way are left out. */
async function edits(tx: Tx, environment: LockedEnvironment, wanted: InputOf<typeof items.saveMany>["items"]) {
  const put: PutItem[] = []
  let isDamaged = false
  const ids = wanted.flatMap((item) => item.id ?? [])
  const found = ids.length === 0 ? [] : await store.itemsWithIds(tx, environment, ids)
  const rows = new Map(found.map((row) => [row.id, row]))
  const seen: SeenItem[] = []
  for (const { id, name, value, revision } of wanted) {
    if (id === undefined) {
      put.push({ name, value })
      continue
    }
    const row = rows.get(id)
    if (row === undefined) throw notFound("Item")
    const storedValue = openValue(row, environment.dataKey)
    if (storedValue === null) isDamaged = true
    if (row.name === name && storedValue === value) continue
    put.push({ name, value, stored: storedItem(row) })
    seen.push({ stored: row, revision })
  }
  await refuseIfChanged(tx, environment, seen, sentences.itemsChangedMeanwhile)
  return { put, isDamaged }
}

/** A name that one of the edits gives up is free for another one. */
async function refuseTakenNames(tx: Tx, environment: LockedEnvironment, put: PutItem[]): Promise<void> {
  const givenUp = new Set(put.flatMap(({ name, stored }) => (stored && stored.name !== name ? [stored.name] : [])))
  const wanted = put.flatMap(({ name, stored }) => (stored?.name === name || givenUp.has(name) ? [] : [name]))
  if (wanted.length === 0) return
  if ((await store.itemsNamed(tx, environment, wanted)).length > 0) throw conflict(sentences.itemNameTaken)
}

export type Wanted = InputOf<typeof environments.saveAll>["items"]

/** All values of a locked environment, in the order of names. A damaged one is null. */
export async function valuesIn(
  tx: Tx,
  environment: { id: number },
  dataKey: DataKey,
): Promise<{ name: string; value: string | null }[]> {
  const rows = await store.itemRowsOf(tx, environment)
  return mapWithPauses(rows, (row) => ({ name: row.name, value: openValue(row, dataKey) }))
}

/** Of these items, those whose names a locked environment does not have. */
export async function missingIn(tx: Tx, { id, caller }: LockedEnvironment, wanted: Wanted): Promise<Wanted> {
  if (wanted.length === 0) return []
  const names = new Set((await store.itemNames(tx, caller, id)).map(({ name }) => name))
  return wanted.filter(({ name }) => !names.has(name))
}

async function differences(
  tx: Tx,
  environment: LockedEnvironment,
  wanted: Wanted,
  ids: ReadonlyMap<string, number> = new Map(),
): Promise<ItemsChange & { storedTotals: store.Totals }> {
  const put = new Map<string, PutItem>(
    wanted.map(({ name, value }) => [name, { name, value, returningId: ids.get(name) }]),
  )
  const remove: store.StoredItem[] = []
  const storedTotals = { itemCount: 0, sealedBytes: 0 }
  for (const stored of await compareWithStored(tx, environment, wanted)) {
    storedTotals.itemCount++
    storedTotals.sealedBytes += bytesOf(stored)
    const item = put.get(stored.name)
    const returningId = item?.returningId === stored.id ? undefined : item?.returningId
    if (item === undefined) remove.push(stored)
    else if (stored.isUnchanged && returningId === undefined) put.delete(stored.name)
    else put.set(stored.name, { ...item, stored, returningId })
  }
  return { put: [...put.values()], remove, storedTotals }
}

interface ComparedItem extends store.StoredItem {
  isUnchanged?: boolean
}

/** A name whose value stays must not get a new version, so each stored value is compared. */
async function compareWithStored(tx: Tx, environment: LockedEnvironment, wanted: Wanted): Promise<ComparedItem[]> {
  const values = new Map(wanted.map(({ name, value }) => [name, value]))
  return mapWithPauses(await store.itemRowsOf(tx, environment), (row) => {
    const value = values.get(row.name)
    const isUnchanged = value !== undefined && mayHold(row, value) && openValue(row, environment.dataKey) === value
    return { ...storedItem(row), isUnchanged }
  })
}

/** By its length, which costs much less than opening it. */
function mayHold({ sealedValue }: store.ItemRow, value: string): boolean {
  return sealedValue.length === Buffer.byteLength(value) + sealBytes
}

/** The item is read under the lock of its environment: another writer may have changed it. */
async function changeItem<Result>(
  core: Core,
  caller: Member,
  { action, id, note }: { action: Action; id: number; note: string | undefined },
  work: (tx: Tx, notes: Notes, environment: LockedEnvironment, stored: store.ItemRow) => Promise<Result>,
): Promise<Result> {
  const environmentId = await store.environmentIdOf(core.db, caller, id)
  if (environmentId === undefined) throw await outOfReach(core.db, caller, { itemId: id })
  return changeEnvironment(core, caller, { action, environmentId, note }, async (tx, notes, environment) => {
    const stored = await store.itemWithId(tx, environment, id)
    if (stored === undefined) throw notFound("Item")
    return work(tx, notes, environment, stored)
  })
}

function storedItem({ id, name, sealedValue }: store.ItemRow): store.StoredItem {
  return { id, name, sealedBytes: sealedLength(sealedValue) }
}
