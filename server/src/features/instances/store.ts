import { type ExpressionBuilder, type Insertable, type Selectable, sql } from "kysely"
import type { Member } from "../../access/caller.ts"
import { reachEnvironment } from "../../access/reach.ts"
import { hasRows } from "../../bounds/has-rows.ts"
import { locksRows } from "../../db/engine.ts"
import type { Reader, Schema, Tx } from "../../db/schema.ts"

// Reads have the caller's reach in their WHERE. What is written comes from keys that were checked.

export type SavedInstance = Omit<Insertable<Schema["instance"]>, "id">

/** What tells the rows apart. */
type RowName = Pick<SavedInstance, "api_key_id" | "label" | "process">

/** A program that reads once and is started again runs once, however often it is started. */
async function removeReplaced(tx: Tx, by: readonly RowName[]): Promise<void> {
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

/** Not those that another node has seen since. */
export async function removeInstances(tx: Tx, rows: readonly SavedInstance[]): Promise<void> {
  await tx
    .deleteFrom("instance")
    .where((eb) =>
      eb.or(
        rows.map(({ api_key_id, label, process, seen_at }) =>
          eb.and([
            eb("api_key_id", "=", api_key_id),
            eb("label", "=", label),
            eb("process", "=", process),
            eb("seen_at", "<=", seen_at),
          ]),
        ),
      ),
    )
    .execute()
}

export async function saveInstances(tx: Tx, rows: readonly SavedInstance[]): Promise<void> {
  const started = rows.filter((row) => row.is_once === 1)
  await removeReplaced(tx, started)
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

/** How many run with each environment of a collection that has any, and how many of them hold its current revision. */
export function countInstances(
  db: Reader,
  caller: Member,
  collectionId: number,
  now: number,
): Promise<{ environmentId: number; running: number; current: number }[]> {
  return db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .innerJoin("instance", "instance.environment_id", "environment.id")
    .select((eb) => ["environment.id as environmentId", ...countsOf(eb)])
    .where("environment.collection_id", "=", collectionId)
    .where("instance.gone_at", ">", now)
    .where(reachEnvironment(caller))
    .groupBy("environment.id")
    .orderBy("environment.id")
    .execute()
}

export interface RunningRow {
  collectionId: number
  environmentId: number
  isProtected: number
  running: number
  current: number
  /** When one of them was seen last. */
  seenAt: number
}

/** The same of many collections, for open screens. Who may see it is looked up before anyone is told. */
export function runningRows(db: Reader, collectionIds: readonly number[], now: number): Promise<RunningRow[]> {
  return db
    .selectFrom("environment")
    .innerJoin("instance", "instance.environment_id", "environment.id")
    .select((eb) => [
      "environment.collection_id as collectionId",
      "environment.id as environmentId",
      "environment.is_protected as isProtected",
      ...countsOf(eb),
      eb.fn.max<number>("instance.seen_at").as("seenAt"),
    ])
    .where("environment.collection_id", "in", collectionIds)
    .where("environment.trashed_at", "is", null)
    .where("instance.gone_at", ">", now)
    .groupBy("environment.id")
    .orderBy("environment.id")
    .execute()
}

function countsOf(eb: ExpressionBuilder<Schema, "environment" | "instance">) {
  const isCurrent = eb("instance.revision", ">=", eb.ref("environment.revision"))
  return [
    eb.fn.countAll<number>().as("running"),
    eb.fn.count<number>(eb.case().when(isCurrent).then(1).end()).as("current"),
  ] as const
}

export type InstanceRow = Omit<Selectable<Schema["instance"]>, "process" | "is_once"> & { keyName: string }

/** Some of an environment, in the order of an index: those after the last one, if there is one. */
export function instanceRows(
  db: Reader,
  caller: Member,
  environmentId: number,
  { last, maxRows }: { last: InstanceRow | undefined; maxRows: number },
): Promise<InstanceRow[]> {
  return db
    .selectFrom("instance")
    .innerJoin("environment", "environment.id", "instance.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .innerJoin("api_key", "api_key.id", "instance.api_key_id")
    .selectAll("instance")
    .select("api_key.name as keyName")
    .where("instance.environment_id", "=", environmentId)
    .where(reachEnvironment(caller))
    .$if(last !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("instance.gone_at", "instance.id"), ">", tuple(last?.gone_at ?? 0, last?.id ?? 0)),
      ),
    )
    .orderBy("instance.gone_at")
    .orderBy("instance.id")
    .limit(maxRows)
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

/** Whether a key has so many. */
export function hasInstances(db: Reader, apiKeyId: number, count: number): Promise<boolean> {
  return hasRows(db.selectFrom("instance").select("id").where("api_key_id", "=", apiKeyId), count)
}

/** Not those that are being saved at this moment: no node waits for another. */
export async function deleteSomeOfKey(tx: Tx, apiKeyId: number, maxRows: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("instance")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("instance")
        .select("id")
        .where("api_key_id", "=", apiKeyId)
        .limit(maxRows)
        .$if(locksRows(tx), (query) => query.forUpdate().skipLocked()),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
