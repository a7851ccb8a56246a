import type { Db } from "../../db/schema.ts"
import type { LockedEnvironment } from "../environments/lock.ts"
import { inScope, type Scope } from "../environments/scope.ts"

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

export async function deleteItems(db: Db, environment: LockedEnvironment, ids: number[]): Promise<void> {
  await db.deleteFrom("item").where("environment_id", "=", environment.id).where("id", "in", ids).execute()
}

/** New names are added, held names keep their ids: one statement for a whole set. */
export async function putItems(
  db: Db,
  environment: LockedEnvironment,
  items: { name: string; sealedValue: Uint8Array }[],
): Promise<void> {
  await db
    .insertInto("item")
    .values(items.map(({ name, sealedValue }) => ({ environment_id: environment.id, name, sealed_value: sealedValue })))
    .onConflict((conflict) =>
      conflict
        .columns(["environment_id", "name"])
        .doUpdateSet((eb) => ({ sealed_value: eb.ref("excluded.sealed_value") })),
    )
    .execute()
}
