import type { Db } from "../../db/schema.ts"
import { locksRows } from "../../db/transaction.ts"

// Every query here takes the owner and puts them in its WHERE. There is no unscoped find by id.

export interface CollectionRow {
  id: number
  name: string
  description: string
}

const columns = ["id", "name", "description"] as const

export function collectionRows(db: Db, ownerId: number): Promise<CollectionRow[]> {
  return db.selectFrom("collection").select(columns).where("owner_id", "=", ownerId).orderBy("id").execute()
}

export function collectionRow(db: Db, ownerId: number, id: number): Promise<CollectionRow | undefined> {
  return db
    .selectFrom("collection")
    .select(columns)
    .where("id", "=", id)
    .where("owner_id", "=", ownerId)
    .executeTakeFirst()
}

/** Without a key as yet: the key is bound to the id, which the row only now gets. */
export function insertCollection(
  db: Db,
  ownerId: number,
  { name, description }: { name: string; description: string },
): Promise<CollectionRow> {
  return db
    .insertInto("collection")
    .values({ owner_id: ownerId, name, description, data_key: new Uint8Array() })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export async function setDataKey(db: Db, ownerId: number, id: number, wrappedKey: Uint8Array): Promise<void> {
  await db
    .updateTable("collection")
    .set({ data_key: wrappedKey })
    .where("id", "=", id)
    .where("owner_id", "=", ownerId)
    .execute()
}

export function updateCollection(
  db: Db,
  ownerId: number,
  { id, name, description }: { id: number; name: string; description?: string | undefined },
): Promise<CollectionRow | undefined> {
  return db
    .updateTable("collection")
    .set(description === undefined ? { name } : { name, description })
    .where("id", "=", id)
    .where("owner_id", "=", ownerId)
    .returning(columns)
    .executeTakeFirst()
}

/** Waits for those who write to its environments, in the order in which they lock: environments, then their collection. */
export async function lockEnvironmentsOf(db: Db, ownerId: number, collectionId: number): Promise<void> {
  if (!locksRows(db)) return
  await db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select("environment.id")
    .where("collection.id", "=", collectionId)
    .where("collection.owner_id", "=", ownerId)
    .orderBy("environment.id")
    .forUpdate("environment")
    .execute()
}

export function deleteCollection(db: Db, ownerId: number, id: number): Promise<{ id: number } | undefined> {
  return db
    .deleteFrom("collection")
    .where("id", "=", id)
    .where("owner_id", "=", ownerId)
    .returning("id")
    .executeTakeFirst()
}
