import { CompiledQuery } from "kysely"
import type { Db } from "../../../db/schema.ts"
import { locksRows } from "../../../db/transaction.ts"
import type { LockedEnvironment } from "../lock.ts"
import { inScope, type Scope } from "../scope.ts"

// Reads take the owner and put them in their WHERE. Writes take an environment that its owner has locked.

export interface ItemRow {
  id: number
  name: string
  environmentId: number
  sealedValue: Uint8Array
}

const columns = [
  "item.id",
  "item.name",
  "item.environment_id as environmentId",
  "item.sealed_value as sealedValue",
] as const

export function itemRows(db: Db, ownerId: number, scope: Scope): Promise<ItemRow[]> {
  return db
    .selectFrom("item")
    .innerJoin("environment", "environment.id", "item.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select(columns)
    .where("collection.owner_id", "=", ownerId)
    .where(inScope(scope))
    .orderBy("item.id")
    .execute()
}

export function itemRow(db: Db, ownerId: number, itemId: number): Promise<ItemRow | undefined> {
  return db
    .selectFrom("item")
    .innerJoin("environment", "environment.id", "item.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select(columns)
    .where("item.id", "=", itemId)
    .where("collection.owner_id", "=", ownerId)
    .executeTakeFirst()
}

export function insertItem(
  db: Db,
  environment: LockedEnvironment,
  { name, sealedValue }: { name: string; sealedValue: Uint8Array },
): Promise<{ id: number }> {
  return db
    .insertInto("item")
    .values({ environment_id: environment.id, name, sealed_value: sealedValue })
    .returning("id")
    .executeTakeFirstOrThrow()
}

export async function updateItem(
  db: Db,
  environment: LockedEnvironment,
  { id, name, sealedValue }: { id: number; name: string; sealedValue: Uint8Array },
): Promise<void> {
  await db
    .updateTable("item")
    .set({ name, sealed_value: sealedValue })
    .where("id", "=", id)
    .where("environment_id", "=", environment.id)
    .execute()
}

/** Of these names, the items that are held. */
export function itemsCalled(db: Db, environment: LockedEnvironment, names: string[]): Promise<ItemRow[]> {
  return db
    .selectFrom("item")
    .select(columns)
    .where("item.environment_id", "=", environment.id)
    .where("item.name", "in", names)
    .execute()
}

export function itemNames(db: Db, environment: LockedEnvironment): Promise<{ id: number; name: string }[]> {
  return db.selectFrom("item").select(["id", "name"]).where("environment_id", "=", environment.id).execute()
}

export async function countItems(db: Db, environment: LockedEnvironment): Promise<number> {
  const { count } = await db
    .selectFrom("item")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("environment_id", "=", environment.id)
    .executeTakeFirstOrThrow()
  return count
}

export async function deleteItems(db: Db, environment: LockedEnvironment, ids: number[]): Promise<void> {
  await db.deleteFrom("item").where("environment_id", "=", environment.id).where("id", "in", ids).execute()
}

/** What the rows themselves say, where the sums that are kept in step cannot be trusted. */
export async function totalsOf(
  db: Db,
  environment: LockedEnvironment,
): Promise<{ itemCount: number; sealedBytes: number }> {
  const row = await db
    .selectFrom("item")
    .select((eb) => [
      eb.fn.countAll<number>().as("itemCount"),
      eb.fn.coalesce(eb.fn.sum<number>(eb.fn("length", ["sealed_value"])), eb.lit(0)).as("sealedBytes"),
    ])
    .where("environment_id", "=", environment.id)
    .executeTakeFirstOrThrow()
  return { itemCount: Number(row.itemCount), sealedBytes: Number(row.sealedBytes) }
}

interface SealedItem {
  name: string
  sealedValue: Uint8Array
}

/**
 * New names are added, held names keep their ids: one statement for a whole set. Written out here, since for so long a
 * statement the query builder takes more time than the engine.
 */
export async function putItems(db: Db, environment: LockedEnvironment, items: SealedItem[]): Promise<void> {
  const isPostgres = locksRows(db)
  // On SQLite only the first by its number: each numbered one is looked for in a list of all of them.
  const rows = items.map((_, index) => (isPostgres ? `($1, $${2 * index + 2}, $${2 * index + 3})` : "(?1, ?, ?)"))
  await db.executeQuery(
    CompiledQuery.raw(
      `insert into item (environment_id, name, sealed_value) values ${rows.join()}
      on conflict (environment_id, name) do update set sealed_value = excluded.sealed_value`,
      [environment.id, ...items.flatMap(({ name, sealedValue }) => [name, sealedValue])],
    ),
  )
}
