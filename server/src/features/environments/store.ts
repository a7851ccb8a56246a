import type { Db } from "../../db/schema.ts"
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

export function environmentRows(
  db: Db,
  ownerId: number,
  scope?: Scope,
): Promise<(EnvironmentRow & { wrappedKey: Uint8Array })[]> {
  return db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select([...columns, "collection.data_key as wrappedKey"])
    .where("collection.owner_id", "=", ownerId)
    .where(inScope(scope))
    .orderBy("environment.id")
    .execute()
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
    .columns(["collection_id", "name", "revision", "item_count"])
    .expression((eb) =>
      eb
        .selectFrom("collection")
        .select((eb) => [
          "collection.id",
          eb.cast<string>(eb.val(name), "text").as("name"),
          eb.lit(1).as("revision"),
          eb.lit(0).as("item_count"),
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

/** An update that changes nothing: the one way to lock a row that both engines know. */
export function lockEnvironment(db: Db, ownerId: number, id: number): Promise<EnvironmentRow | undefined> {
  return db
    .updateTable("environment")
    .set((eb) => ({ revision: eb.ref("revision") }))
    .where("id", "=", id)
    .where("collection_id", "in", (eb) => eb.selectFrom("collection").select("id").where("owner_id", "=", ownerId))
    .returning(columns)
    .executeTakeFirst()
}

export function wrappedKeyOf(
  db: Db,
  ownerId: number,
  collectionId: number,
): Promise<{ wrappedKey: Uint8Array } | undefined> {
  return db
    .selectFrom("collection")
    .select("data_key as wrappedKey")
    .where("id", "=", collectionId)
    .where("owner_id", "=", ownerId)
    .executeTakeFirst()
}

export function raiseRevision(
  db: Db,
  ownerId: number,
  { id, itemCount }: { id: number; itemCount: number },
): Promise<EnvironmentRow> {
  return db
    .updateTable("environment")
    .set((eb) => ({ revision: eb("revision", "+", 1), item_count: itemCount }))
    .where("id", "=", id)
    .where("collection_id", "in", (eb) => eb.selectFrom("collection").select("id").where("owner_id", "=", ownerId))
    .returning(columns)
    .executeTakeFirstOrThrow()
}
