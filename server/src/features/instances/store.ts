import { limits } from "@envkeep/contract"
import { type Insertable, type Selectable, sql } from "kysely"
import type { Member } from "../../access/caller.ts"
import { reachEnvironment } from "../../access/reach.ts"
import type { Reader, Schema, Tx } from "../../db/schema.ts"

// Reads have the caller's reach in their WHERE. What is written comes from keys that were checked.

export type SavedInstance = Omit<Insertable<Schema["instance"]>, "id">

/** A deleted key is not among them. */
export async function keyIds(db: Reader, keyHashes: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.selectFrom("api_key").select(["id", "key_hash"]).where("key_hash", "in", keyHashes).execute()
  return new Map(rows.map(({ id, key_hash }) => [key_hash, id]))
}

/** A program that reads once and is started again runs once, however often it is started. */
export async function removeReplaced(tx: Tx, by: readonly SavedInstance[]): Promise<void> {
  if (by.length === 0) return
  await tx
    .deleteFrom("instance")
    .where("is_once", "=", 1)
    .where((eb) =>
      eb.or(
        by.map(({ api_key_id, label, process }) =>
          eb.and([eb("api_key_id", "=", api_key_id), eb("label", "=", label), eb("process", "<>", process)]),
        ),
      ),
    )
    .execute()
}

export async function saveInstances(tx: Tx, rows: readonly SavedInstance[]): Promise<void> {
  if (rows.length === 0) return
  // In this order on every node: two that save the same rows must not wait for each other in a circle.
  const inOrder = rows.toSorted(
    (one, other) =>
      one.api_key_id - other.api_key_id || (one.label + one.process < other.label + other.process ? -1 : 1),
  )
  await tx
    .insertInto("instance")
    .values(inOrder)
    .onConflict((conflict) =>
      conflict.columns(["api_key_id", "label", "process"]).doUpdateSet((eb) => ({
        environment_id: eb.ref("excluded.environment_id"),
        client: eb.ref("excluded.client"),
        address: eb.ref("excluded.address"),
        since_at: sql<number>`case when instance.revision = excluded.revision then instance.since_at else excluded.since_at end`,
        revision: eb.ref("excluded.revision"),
        seen_at: eb.ref("excluded.seen_at"),
        is_watching: eb.ref("excluded.is_watching"),
        is_once: eb.ref("excluded.is_once"),
        gone_at: eb.ref("excluded.gone_at"),
      })),
    )
    .execute()
}

export interface Counts {
  environmentId: number
  revision: number
  running: number
  current: number
  gone: number
}

/** Those of one environment, or of all environments of a collection that have any. */
export function countInstances(
  db: Reader,
  caller: Member,
  scope: { environmentId: number } | { collectionId: number },
  now: number,
): Promise<Counts[]> {
  return db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .innerJoin("instance", "instance.environment_id", "environment.id")
    .select((eb) => {
      const countWhere = (condition: ReturnType<typeof eb.and>) =>
        eb.fn.count<number>(eb.case().when(condition).then(1).end())
      const runs = eb("instance.gone_at", ">", now)
      const isCurrent = eb("instance.revision", ">=", eb.ref("environment.revision"))
      return [
        "environment.id as environmentId",
        "environment.revision",
        countWhere(eb.and([runs])).as("running"),
        countWhere(eb.and([runs, isCurrent])).as("current"),
        countWhere(eb.and([eb.not(runs)])).as("gone"),
      ]
    })
    .where(
      "environmentId" in scope ? "environment.id" : "environment.collection_id",
      "=",
      "environmentId" in scope ? scope.environmentId : scope.collectionId,
    )
    .where(reachEnvironment(caller))
    .groupBy(["environment.id", "environment.revision"])
    .orderBy("environment.id")
    .execute()
}

export type InstanceRow = Omit<Selectable<Schema["instance"]>, "process" | "is_once"> & { keyName: string }

/** First those that are behind, then the current ones, then those that are gone. */
export function instanceRows(
  db: Reader,
  caller: Member,
  environmentId: number,
  now: number,
): Promise<(InstanceRow & { isCurrent: number })[]> {
  return db
    .selectFrom("instance")
    .innerJoin("environment", "environment.id", "instance.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .innerJoin("api_key", "api_key.id", "instance.api_key_id")
    .selectAll("instance")
    .select(["api_key.name as keyName"])
    .select(sql<number>`case when instance.revision >= environment.revision then 1 else 0 end`.as("isCurrent"))
    .where("instance.environment_id", "=", environmentId)
    .where(reachEnvironment(caller))
    .orderBy(sql`case when instance.gone_at <= ${now} then 1 else 0 end`)
    .orderBy("isCurrent")
    .orderBy("instance.label")
    .orderBy("instance.id")
    .limit(limits.listedInstances)
    .execute()
}

export async function environmentRevision(
  db: Reader,
  caller: Member,
  environmentId: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select("environment.revision")
    .where("environment.id", "=", environmentId)
    .where(reachEnvironment(caller))
    .executeTakeFirst()
  return row?.revision
}

export async function deleteGone(tx: Tx, before: number, maxRows: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("instance")
    .where("id", "in", (eb) => eb.selectFrom("instance").select("id").where("gone_at", "<", before).limit(maxRows))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
