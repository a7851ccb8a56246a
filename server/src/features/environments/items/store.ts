import { CompiledQuery, sql } from "kysely"
import type { Member, Reaching } from "../../../access/caller.ts"
import {
  type ReachParams,
  type ReachVariant,
  reachEnvironment,
  reachingOf,
  reachParams,
  reachVariant,
} from "../../../access/reach.ts"
import { inBatches } from "../../../bounds/batches.ts"
import { engineOf } from "../../../db/engine.ts"
import { longNameBytesOfItem } from "../../../db/long-names.ts"
import { prepared } from "../../../db/prepared.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import type { LockedEnvironment } from "../change-environment.ts"
import { inScope, type Scope } from "../scope.ts"

// Reads have the caller's reach in their WHERE. Writes take an environment that the caller has locked. Only
// `change-items.ts` may call them: any other write would forget to raise the revision.

export interface SealedItem {
  name: string
  sealedValue: Uint8Array
}

/** One that comes back under the id that it had. */
export interface ReturningItem extends SealedItem {
  id: number
}

export interface ItemRow extends SealedItem {
  id: number
  environmentId: number
  /** That wrote it last. */
  revision: number
}

/** An item as it is stored, without its value. */
export interface StoredItem {
  id: number
  name: string
  sealedBytes: number
}

export interface Totals {
  itemCount: number
  /** With long names. */
  sealedBytes: number
}

export const rowsPerBatch = 500

const columns = [
  "item.id",
  "item.name",
  "item.environment_id as environmentId",
  "item.sealed_value as sealedValue",
  "item.revision",
] as const

/** In one statement: for scopes with few items. */
export function itemRows(db: Reader, caller: Member, scope: Scope): Promise<ItemRow[]> {
  return itemsInReach(db, caller).where(inScope(scope)).orderBy("item.id").execute()
}

export type ItemName = Omit<ItemRow, "sealedValue">

/** Without values. An environment has few enough names for one statement. */
export function itemNames(db: Reader, caller: Member, environmentId: number): Promise<ItemName[]> {
  return itemsInReach(db, caller)
    .clearSelect()
    .select(["item.id", "item.name", "item.environment_id as environmentId", "item.revision"])
    .where(inScope({ environmentId }))
    .orderBy("item.id")
    .execute()
}

/** In batches, in the order of the index that finds them, sorted by id afterwards. */
export async function manyItemRows(
  db: Reader,
  caller: Member,
  { environmentId, rowsPerBatch }: { environmentId: number; rowsPerBatch: number },
): Promise<ItemRow[]> {
  const inOrder = itemsInReach(db, caller).where(inScope({ environmentId })).orderBy("item.name").limit(rowsPerBatch)
  const rows = await inBatches(rowsPerBatch, (last: ItemRow | undefined) =>
    inOrder.where("item.name", ">", last?.name ?? "").execute(),
  )
  return rows.sort((one, other) => one.id - other.id)
}

/** Where an item is. Items never move to another environment. */
export async function environmentIdOf(db: Reader, caller: Member, itemId: number): Promise<number | undefined> {
  const [row] = await environmentIdsOf(db, { ...reachParams(caller), itemId }, reachVariant(caller))
  return row?.environmentId
}

const environmentIdsOf = prepared((db: Reader, given: ReachParams & { itemId: number }, variant: ReachVariant) =>
  itemsInReach(db, reachingOf(given, variant))
    .clearSelect()
    .select("item.environment_id as environmentId")
    .where("item.id", "=", given.itemId),
)

function itemsInReach(db: Reader, caller: Reaching) {
  return db
    .selectFrom("item")
    .innerJoin("environment", "environment.id", "item.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select(columns)
    .where(reachEnvironment(caller))
}

export function insertItem(
  tx: Tx,
  environment: LockedEnvironment,
  { name, sealedValue }: SealedItem,
): Promise<{ id: number }> {
  return tx
    .insertInto("item")
    .values({ environment_id: environment.id, name, sealed_value: sealedValue, revision: environment.revision + 1 })
    .returning("id")
    .executeTakeFirstOrThrow()
}

export async function updateItem(
  tx: Tx,
  environment: LockedEnvironment,
  item: SealedItem & { id: number },
): Promise<void> {
  await itemUpdate(tx, { ...item, environmentId: environment.id, revision: environment.revision + 1 }, "")
}

const itemUpdate = prepared((tx: Tx, { id, environmentId, name, sealedValue, revision }: ItemRow) =>
  tx
    .updateTable("item")
    .set({ name, sealed_value: sealedValue, revision })
    .where("id", "=", id)
    .where("environment_id", "=", environmentId),
)

/**
 * Gives items that are about to be renamed names that no item can have, so that two of them can swap their names: each
 * statement is checked for duplicates on its own.
 */
export async function freeNames(tx: Tx, environment: LockedEnvironment, rows: readonly StoredItem[]): Promise<void> {
  const ids = rows.map((row) => row.id)
  await tx
    .updateTable("item")
    .set((eb) => ({ name: sql<string>`'=' || ${eb.cast("id", "text")}` }))
    .where("environment_id", "=", environment.id)
    .where("id", "in", ids)
    .execute()
}

/** Of these names, the items that are stored. */
export function itemsNamed(db: Reader, environment: LockedEnvironment, names: string[]): Promise<ItemRow[]> {
  return itemsIn(db, environment).select(columns).where("item.name", "in", names).execute()
}

/** The item with this id, if it is in the environment. */
export async function itemWithId(db: Reader, environment: LockedEnvironment, id: number): Promise<ItemRow | undefined> {
  const [row] = await itemsOf(db, { environmentId: environment.id, id }, "")
  return row
}

const itemsOf = prepared((db: Reader, { environmentId, id }: { environmentId: number; id: number }) =>
  itemsIn(db, { id: environmentId }).select(columns).where("item.id", "=", id),
)

/** Of these ids, the items that are in the environment. */
export function itemsWithIds(db: Reader, environment: LockedEnvironment, ids: number[]): Promise<ItemRow[]> {
  return itemsIn(db, environment).select(columns).where("item.id", "in", ids).execute()
}

export function itemRowsOf(db: Reader, environment: Pick<LockedEnvironment, "id">): Promise<ItemRow[]> {
  const inOrder = itemsIn(db, environment).select(columns).orderBy("item.name").limit(rowsPerBatch)
  return inBatches(rowsPerBatch, (last: ItemRow | undefined) =>
    inOrder.where("item.name", ">", last?.name ?? "").execute(),
  )
}

function itemsIn(db: Reader, environment: Pick<LockedEnvironment, "id">) {
  return db.selectFrom("item").where("item.environment_id", "=", environment.id)
}

export async function deleteItems(tx: Tx, environment: LockedEnvironment, rows: readonly StoredItem[]): Promise<void> {
  const ids = rows.map((row) => row.id)
  await tx.deleteFrom("item").where("environment_id", "=", environment.id).where("id", "in", ids).execute()
}

/** Counted from the rows, for when the environment's own totals may be wrong. */
export async function countTotals(db: Reader, environment: LockedEnvironment): Promise<Totals> {
  const row = await db
    .selectFrom("item")
    .select((eb) => [
      eb.fn.countAll<number>().as("itemCount"),
      sql<number>`coalesce(sum(length(sealed_value) + ${longNameBytesOfItem}), 0)`.as("sealedBytes"),
    ])
    .where("environment_id", "=", environment.id)
    .executeTakeFirstOrThrow()
  return { itemCount: Number(row.itemCount), sealedBytes: Number(row.sealedBytes) }
}

/** Adds new names and replaces the values of existing ones, which keep their ids, in one statement. */
export function putItems(tx: Tx, environment: LockedEnvironment, items: readonly SealedItem[]): Promise<void> {
  return insertRows(tx, environment, {
    columns: "name, sealed_value",
    rows: items.map(({ name, sealedValue }) => [name, sealedValue]),
    onConflict: `on conflict (environment_id, name) do update
      set revision = excluded.revision, sealed_value = excluded.sealed_value`,
  })
}

/** Adds names that the environment does not have, under these ids, in one statement. */
export function returnItems(tx: Tx, environment: LockedEnvironment, items: readonly ReturningItem[]): Promise<void> {
  return insertRows(tx, environment, {
    columns: "name, sealed_value, id",
    rows: items.map(({ name, sealedValue, id }) => [name, sealedValue, id]),
    onConflict: "",
  })
}

/** Written by hand, because for such a long statement the query builder takes more time than the engine. */
async function insertRows(
  tx: Tx,
  environment: LockedEnvironment,
  { columns, rows, onConflict }: { columns: string; rows: readonly unknown[][]; onConflict: string },
): Promise<void> {
  const parameters: unknown[] = [environment.id, environment.revision + 1]
  const isPostgres = engineOf(tx) === "postgres"
  // On SQLite only the first parameters have a number: each numbered one costs a search through all the others.
  const places = rows.map((row) => {
    const own = row.map((value) => (isPostgres ? `$${parameters.push(value)}` : "?"))
    if (!isPostgres) parameters.push(...row)
    return isPostgres ? `($1, $2, ${own})` : `(?1, ?2, ${own})`
  })
  const insert = `insert into item (environment_id, revision, ${columns}) values ${places.join()} ${onConflict}`
  await tx.executeQuery(CompiledQuery.raw(insert, parameters))
}
