import { setImmediate as nextTurn } from "node:timers/promises"
import {
  type EnvironmentSummary,
  type environments,
  type InputOf,
  type Item,
  type items,
  sentences,
} from "@envkeep/contract"
import type { UserCaller } from "../../../access/caller.ts"
import type { Db } from "../../../db/schema.ts"
import { inTransaction } from "../../../db/transaction.ts"
import { conflict, notFound, unlessTaken } from "../../../errors.ts"
import { type DataKey, openSecret, sealSecret, type Vault } from "../../../keys/secrets.ts"
import { type LockedEnvironment, lockEnvironment, raiseRevision, sealingKey } from "../lock.ts"
import type { Scope } from "../scope.ts"
import * as store from "./store.ts"
import { takingTurns } from "./turns.ts"

export function createItem(
  db: Db,
  vault: Vault,
  caller: UserCaller,
  { name, value, subCollectionId }: InputOf<typeof items.create>,
): Promise<Item> {
  return unlessTaken(sentences.itemNameTaken, () =>
    inTransaction(db, async (tx) => {
      const environment = await lockEnvironment(tx, vault, caller, subCollectionId)
      const row = sealed(environment, name, value)
      const { id } = await store.insertItem(tx, environment, row)
      await raiseRevision(tx, environment, {
        itemCount: environment.itemCount + 1,
        sealedBytes: environment.sealedBytes + row.sealedValue.length,
      })
      return { id, name, value, subCollectionId }
    }),
  )
}

/** Saving what is already there is no change: readers are not told of a new revision. */
export function updateItem(
  db: Db,
  vault: Vault,
  caller: UserCaller,
  { id, name, value }: InputOf<typeof items.update>,
): Promise<Item> {
  return unlessTaken(sentences.itemNameTaken, () =>
    inTransaction(db, async (tx) => {
      const { row, environment } = await lockItem(tx, vault, caller, id)
      const held = opened(row, environment.dataKey)
      if (row.name !== name || held !== value) {
        const changed = sealed(environment, name, value)
        await store.updateItem(tx, environment, { id, ...changed })
        const totals = {
          itemCount: environment.itemCount,
          sealedBytes: environment.sealedBytes - row.sealedValue.length + changed.sealedValue.length,
        }
        await raiseRevision(tx, environment, held === null ? await store.totalsOf(tx, environment) : totals)
      }
      return { id, name, value, subCollectionId: environment.id }
    }),
  )
}

export function deleteItem(
  db: Db,
  vault: Vault,
  caller: UserCaller,
  { id }: InputOf<typeof items.remove>,
): Promise<null> {
  return inTransaction(db, async (tx) => {
    const { row, environment } = await lockItem(tx, vault, caller, id)
    const isDamaged = opened(row, environment.dataKey) === null
    await store.deleteItems(tx, environment, [id])
    const totals = {
      itemCount: environment.itemCount - 1,
      sealedBytes: environment.sealedBytes - row.sealedValue.length,
    }
    // A damaged row may no longer have the length that was added for it.
    await raiseRevision(tx, environment, isDamaged ? await store.totalsOf(tx, environment) : totals)
    return null
  })
}

// Rows per statement: few enough for the parameters of both engines, and for other requests to get their turn between.
const pieceSize = 1_000

const oneBulkSavePerUser = takingTurns<number>()

/**
 * Makes the environment hold exactly this list. A user's bulk saves take turns before they take a connection, so that
 * nobody can keep all of them.
 */
export function saveAllItems(
  db: Db,
  vault: Vault,
  caller: UserCaller,
  { id, items, revision }: InputOf<typeof environments.saveAll>,
): Promise<EnvironmentSummary> {
  return oneBulkSavePerUser(caller.userId, () =>
    inTransaction(db, async (tx) => {
      const environment = await lockEnvironment(tx, vault, caller, id)
      if (revision !== undefined && revision !== environment.revision) throw conflict(sentences.changedMeanwhile)
      const { changed, keptBytes } = await differences(tx, caller, environment, items)
      const isCounted = environment.itemCount === items.length && environment.sealedBytes === keptBytes
      if (changed.length === 0 && isCounted) return environment

      let sealedBytes = keptBytes
      for (const piece of pieces(changed)) {
        const rows = piece.map(({ name, value }) => sealed(environment, name, value))
        await store.putItems(tx, environment, rows)
        for (const row of rows) sealedBytes += row.sealedValue.length
        await nextTurn()
      }
      await deleteAllBut(tx, environment, items)
      return raiseRevision(tx, environment, { itemCount: items.length, sealedBytes })
    }),
  )
}

type Wanted = InputOf<typeof environments.saveAll>["items"]

// How many held items tell whether a list has anything in common with what is held.
const sampleSize = 16

/**
 * What must be written to get from what is held to what is wanted, and how much of what is held stays. A list that
 * shares nothing with a sample is written whole: to open each held value first would cost as much as sealing the new ones.
 */
async function differences(
  tx: Db,
  caller: UserCaller,
  environment: LockedEnvironment,
  wanted: Wanted,
): Promise<{ changed: Wanted; keptBytes: number }> {
  const sample = wanted.slice(0, sampleSize)
  if (environment.itemCount === 0 || !(await sharesOne(tx, environment, sample))) {
    return { changed: wanted, keptBytes: 0 }
  }

  const changed = new Map(wanted.map((item) => [item.name, item]))
  let keptBytes = 0
  for (const piece of pieces(await store.itemRows(tx, caller.userId, { environmentId: environment.id }))) {
    for (const row of piece) {
      if (opened(row, environment.dataKey) !== changed.get(row.name)?.value) continue
      changed.delete(row.name)
      keptBytes += row.sealedValue.length
    }
    await nextTurn()
  }
  return { changed: [...changed.values()], keptBytes }
}

async function sharesOne(tx: Db, environment: LockedEnvironment, sample: Wanted): Promise<boolean> {
  const values = new Map(sample.map(({ name, value }) => [name, value]))
  const held = await store.itemsCalled(tx, environment, [...values.keys()])
  return held.some((row) => opened(row, environment.dataKey) === values.get(row.name))
}

async function deleteAllBut(tx: Db, environment: LockedEnvironment, wanted: Wanted): Promise<void> {
  if ((await store.countItems(tx, environment)) === wanted.length) return
  const names = new Set(wanted.map(({ name }) => name))
  const gone = (await store.itemNames(tx, environment)).filter(({ name }) => !names.has(name))
  for (const piece of pieces(gone.map(({ id }) => id))) await store.deleteItems(tx, environment, piece)
}

/** The items in scope by environment, sorted by id; a value that cannot be opened is null. */
export async function itemsOf(
  db: Db,
  caller: UserCaller,
  scope: Scope,
  keys: ReadonlyMap<number, DataKey>,
): Promise<Map<number, Item[]>> {
  const rows = await store.itemRows(db, caller.userId, scope)
  const items = rows.map((row) => ({
    id: row.id,
    name: row.name,
    value: opened(row, keys.get(row.environmentId)),
    subCollectionId: row.environmentId,
  }))
  return Map.groupBy(items, (item) => item.subCollectionId)
}

/** The item and its environment, locked. Looked up again under the lock: another writer may have been faster. */
async function lockItem(tx: Db, vault: Vault, caller: UserCaller, itemId: number) {
  const found = await store.itemRow(tx, caller.userId, itemId)
  if (found === undefined) throw notFound("Item")
  const environment = await lockEnvironment(tx, vault, caller, found.environmentId)
  const row = await store.itemRow(tx, caller.userId, itemId)
  if (row === undefined) throw notFound("Item")
  return { row, environment }
}

function sealed(environment: LockedEnvironment, name: string, value: string) {
  const place = { kind: "item", environmentId: environment.id, name } as const
  return { name, sealedValue: sealSecret(sealingKey(environment), value, place) }
}

function opened({ environmentId, name, sealedValue }: store.ItemRow, key: DataKey): string | null {
  return openSecret(key, sealedValue, { kind: "item", environmentId, name })
}

function* pieces<Element>(all: Element[]): Generator<Element[]> {
  for (let start = 0; start < all.length; start += pieceSize) yield all.slice(start, start + pieceSize)
}
