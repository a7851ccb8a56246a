import type { Db } from "../../db/schema.ts"
import { locksRows } from "../../db/transaction.ts"
import { inScope, type Scope } from "./scope.ts"

// Every query here takes the owner and puts them in its WHERE. There is no unscoped find by id.

export interface EnvironmentRow {
  id: number
  name: string
  collectionId: number
  revision: number
  itemCount: number
}

const columns = [
  "environment.id",
  "environment.name",
  "environment.collection_id as collectionId",
  "environment.revision",
  "environment.item_count as itemCount",
] as const

/** For lists, which open nothing and can be long. */
export function environmentRows(db: Db, ownerId: number, scope?: Scope): Promise<EnvironmentRow[]> {
  return ownEnvironments(db, ownerId, scope).execute()
}

export function environmentRowsWithKeys(
  db: Db,
  ownerId: number,
  scope: Scope,
): Promise<(EnvironmentRow & { wrappedKey: Uint8Array })[]> {
  return ownEnvironments(db, ownerId, scope).select("collection.data_key as wrappedKey").execute()
}

function ownEnvironments(db: Db, ownerId: number, scope: Scope | undefined) {
  return db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select(columns)
    .where("collection.owner_id", "=", ownerId)
    .where(inScope(scope))
    .orderBy("environment.id")
}

export async function ownsCollection(db: Db, ownerId: number, collectionId: number): Promise<boolean> {
  const row = await db
    .selectFrom("collection")
    .select("id")
    .where("id", "=", collectionId)
    .where("owner_id", "=", ownerId)
    .executeTakeFirst()
  return row !== undefined
}

/** Inserts only if `ownerId` owns the collection; otherwise no row is written or returned. */
export function insertEnvironment(
  db: Db,
  ownerId: number,
  { name, collectionId }: { name: string; collectionId: number },
): Promise<EnvironmentRow | undefined> {
  return db
    .insertInto("environment")
    .columns(["collection_id", "name", "revision", "item_count", "sealed_bytes"])
    .expression((eb) =>
      eb
        .selectFrom("collection")
        .select((eb) => [
          "collection.id",
          eb.cast<string>(eb.val(name), "text").as("name"),
          eb.lit(1).as("revision"),
          eb.lit(0).as("item_count"),
          eb.lit(0).as("sealed_bytes"),
        ])
        .where("collection.id", "=", collectionId)
        .where("collection.owner_id", "=", ownerId),
    )
    .returning(columns)
    .executeTakeFirst()
}

export function renameEnvironment(
  db: Db,
  ownerId: number,
  { id, name }: { id: number; name: string },
): Promise<EnvironmentRow | undefined> {
  return db
    .updateTable("environment")
    .set((eb) => ({
      name,
      revision: eb
        .case()
        .when("name", "=", name)
        .then(eb.ref("revision"))
        .else(eb("revision", "+", 1))
        .end(),
    }))
    .where("id", "=", id)
    .where("collection_id", "in", (eb) => eb.selectFrom("collection").select("id").where("owner_id", "=", ownerId))
    .returning(columns)
    .executeTakeFirst()
}

export function deleteEnvironment(db: Db, ownerId: number, id: number): Promise<{ id: number } | undefined> {
  return db
    .deleteFrom("environment")
    .where("id", "=", id)
    .where("collection_id", "in", (eb) => eb.selectFrom("collection").select("id").where("owner_id", "=", ownerId))
    .returning("id")
    .executeTakeFirst()
}

export interface LockedRow extends EnvironmentRow {
  sealedBytes: number
  wrappedKey: Uint8Array
}

/**
 * Locks the row until the transaction ends. On SQLite the transaction itself is the lock. Not by an update: PostgreSQL
 * would then hold the second update against the collection's row, and a deleted collection against this one, for ever.
 */
export function lockEnvironment(db: Db, ownerId: number, id: number): Promise<LockedRow | undefined> {
  return db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select([...columns, "environment.sealed_bytes as sealedBytes", "collection.data_key as wrappedKey"])
    .where("environment.id", "=", id)
    .where("collection.owner_id", "=", ownerId)
    .$if(locksRows(db), (query) => query.forUpdate("environment"))
    .executeTakeFirst()
}

/**
 * Lets those who make a collection larger take turns, also in different environments and on different nodes. New
 * environments and keys are not held up by it.
 */
export async function lockCollectionSize(db: Db, ownerId: number, collectionId: number): Promise<void> {
  await db
    .selectFrom("collection")
    .select("id")
    .where("id", "=", collectionId)
    .where("owner_id", "=", ownerId)
    .$if(locksRows(db), (query) => query.forNoKeyUpdate())
    .execute()
}

/** How much the other environments of a collection hold. */
export async function sealedBytesBeside(
  db: Db,
  ownerId: number,
  { id, collectionId }: EnvironmentRow,
): Promise<number> {
  const row = await db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>("environment.sealed_bytes"), eb.lit(0)).as("bytes"))
    .where("environment.collection_id", "=", collectionId)
    .where("collection.owner_id", "=", ownerId)
    .where("environment.id", "!=", id)
    .executeTakeFirstOrThrow()
  return Number(row.bytes)
}

export function raiseRevision(
  db: Db,
  ownerId: number,
  { id, itemCount, sealedBytes }: { id: number; itemCount: number; sealedBytes: number },
): Promise<EnvironmentRow> {
  return db
    .updateTable("environment")
    .set((eb) => ({ revision: eb("revision", "+", 1), item_count: itemCount, sealed_bytes: sealedBytes }))
    .where("id", "=", id)
    .where("collection_id", "in", (eb) => eb.selectFrom("collection").select("id").where("owner_id", "=", ownerId))
    .returning(columns)
    .executeTakeFirstOrThrow()
}
