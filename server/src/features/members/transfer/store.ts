import type { UserCaller } from "../../../access/caller.ts"
import { isAskedByOwner } from "../../../access/reach.ts"
import type { Growth } from "../../../core/core.ts"
import type { Reader, Tx } from "../../../db/schema.ts"

interface CollectionId {
  id: number
}

/** Asks one member. A request to another one ends. */
export async function ask(
  tx: Tx,
  collection: CollectionId,
  { userId, askedBy }: { userId: number; askedBy: number },
): Promise<void> {
  await endRequest(tx, collection)
  await tx
    .updateTable("collection_member")
    .set({ asked_to_pay_by: askedBy })
    .where("collection_id", "=", collection.id)
    .where("user_id", "=", userId)
    .execute()
}

export async function endRequest(tx: Tx, { id }: CollectionId): Promise<void> {
  await tx
    .updateTable("collection_member")
    .set({ asked_to_pay_by: null })
    .where("collection_id", "=", id)
    .where("asked_to_pay_by", "is not", null)
    .execute()
}

export interface Request {
  userId: number
  askedBy: number
}

export async function requestOf(db: Reader, { id }: CollectionId): Promise<Request | undefined> {
  const row = await db
    .selectFrom("collection_member")
    .select(["user_id as userId", "asked_to_pay_by as askedBy"])
    .where("collection_id", "=", id)
    .where(isAskedByOwner())
    .executeTakeFirst()
  return row === undefined || row.askedBy === null ? undefined : { userId: row.userId, askedBy: row.askedBy }
}

/** Of this user. The first ones, by collection. */
export function requestsTo(
  db: Reader,
  { userId }: UserCaller,
  most: number,
): Promise<{ collectionId: number; name: string; askedBy: string }[]> {
  return db
    .selectFrom("collection_member")
    .innerJoin("collection", "collection.id", "collection_member.collection_id")
    .innerJoin("user", "user.id", "collection_member.asked_to_pay_by")
    .select(["collection.id as collectionId", "collection.name", "user.username as askedBy"])
    .where("collection_member.user_id", "=", userId)
    .where(isAskedByOwner())
    .where("collection.trashed_at", "is", null)
    .orderBy("collection.id")
    .limit(most)
    .execute()
}

export async function setPayer(tx: Tx, { id }: CollectionId, userId: number): Promise<void> {
  await tx.updateTable("collection").set({ owner_id: userId }).where("id", "=", id).execute()
}

/** What a collection takes of a quota, with what it has in the trash. */
export type Contents = Pick<Growth, "rows" | "sealedBytes"> & { historyBytes: number }

export async function contentsOf(db: Reader, id: number): Promise<Contents> {
  const environments = await db
    .selectFrom("environment")
    .select((eb) => [
      eb.fn.countAll<number>().as("count"),
      eb.fn.coalesce(eb.fn.sum<number>("item_count"), eb.lit(0)).as("items"),
      eb.fn.coalesce(eb.fn.sum<number>("sealed_bytes"), eb.lit(0)).as("sealedBytes"),
      eb.fn.coalesce(eb.fn.sum<number>("history_bytes"), eb.lit(0)).as("historyBytes"),
    ])
    .where("collection_id", "=", id)
    .executeTakeFirstOrThrow()
  const keys = await db
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("environment.collection_id", "=", id)
    .executeTakeFirstOrThrow()
  const described = await db
    .selectFrom("collection")
    .select(["described_count as count", "described_bytes as bytes"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow()
  return {
    rows: 1 + Number(environments.count) + Number(environments.items) + Number(keys.count) + described.count,
    sealedBytes: Number(environments.sealedBytes) + described.bytes,
    historyBytes: Number(environments.historyBytes),
  }
}
