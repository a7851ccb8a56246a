import type { Reader } from "../../../db/schema.ts"

// Sizes for administrators: ids, owners and counts, and no name of a collection, an environment or an item.

export interface SizedRow {
  id: number
  ownerId: number
  environments: number | null
  items: number
  bytes: number
}

/** The collections after this id, by id, without the trash. */
export async function collectionsAfter(db: Reader, id: number, maxRows: number): Promise<SizedRow[]> {
  const rows = await db
    .selectFrom("collection")
    .leftJoin("environment", (join) =>
      join.onRef("environment.collection_id", "=", "collection.id").on("environment.trashed_at", "is", null),
    )
    .select((eb) => [
      "collection.id",
      "collection.owner_id as ownerId",
      eb.fn.count<number>("environment.id").as("environments"),
      eb.fn.coalesce(eb.fn.sum<number>("environment.item_count"), eb.lit(0)).as("items"),
      eb.fn
        .coalesce(
          eb.fn.sum<number>(eb("environment.sealed_bytes", "+", eb.ref("environment.history_bytes"))),
          eb.lit(0),
        )
        .as("bytes"),
    ])
    .where("collection.id", ">", id)
    .where("collection.trashed_at", "is", null)
    .groupBy("collection.id")
    .orderBy("collection.id")
    .limit(maxRows)
    .execute()
  return rows.map((row) => ({ ...row, items: Number(row.items), bytes: Number(row.bytes) }))
}

/** The environments after this id, by id, without the trash. */
export async function environmentsAfter(db: Reader, id: number, maxRows: number): Promise<SizedRow[]> {
  const rows = await db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => [
      "environment.id",
      "collection.owner_id as ownerId",
      "environment.item_count as items",
      eb("environment.sealed_bytes", "+", eb.ref("environment.history_bytes")).as("bytes"),
    ])
    .where("environment.id", ">", id)
    .where("environment.trashed_at", "is", null)
    .where("collection.trashed_at", "is", null)
    .orderBy("environment.id")
    .limit(maxRows)
    .execute()
  return rows.map((row) => ({ ...row, environments: null, bytes: Number(row.bytes) }))
}

export async function usernames(db: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom("user").select(["id", "username"]).where("id", "in", ids).execute()
  return new Map(rows.map(({ id, username }) => [id, username]))
}

/** Products have names of their own: administrators make them. */
export function subscriptionsByProduct(db: Reader): Promise<{ id: number; name: string; subscriptions: number }[]> {
  return db
    .selectFrom("product")
    .select((eb) => [
      "id",
      "name",
      eb
        .selectFrom("subscription")
        .select((inner) => inner.fn.countAll<number>().as("count"))
        .whereRef("subscription.product_id", "=", "product.id")
        .$asScalar()
        .$notNull()
        .as("subscriptions"),
    ])
    .orderBy("id")
    .execute()
}
