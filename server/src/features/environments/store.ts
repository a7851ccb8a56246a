import { sql } from "kysely"
import type { Member, Reaching } from "../../access/caller.ts"
import {
  isEnvironmentInReach,
  isCollectionInReach as isInReach,
  type ReachParams,
  type ReachVariant,
  reach,
  reachEnvironment,
  reachingOf,
  reachParams,
  reachVariant,
} from "../../access/reach.ts"
import { hasRows } from "../../bounds/has-rows.ts"
import { isListed, type Listed, listed } from "../../db/listed.ts"
import { prepared } from "../../db/prepared.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { columns, type EnvironmentRow, type LockedRow, toRow } from "./revision-store.ts"
import { inScope, type Scope } from "./scope.ts"

// Every query here has the caller's reach in its WHERE. There is no unscoped find by id.

/** Without the collections' keys: lists can be long and show no values. */
export async function environmentRows(db: Reader, caller: Member, scope: Scope): Promise<EnvironmentRow[]> {
  return (await environmentsInScope(db, caller, scope).execute()).map(toRow)
}

/** Of all these collections. */
export async function rowsOfCollections(
  db: Reader,
  caller: Member,
  collectionIds: readonly number[],
): Promise<EnvironmentRow[]> {
  const given = { ...reachParams(caller), collectionIds: listed(db, collectionIds) }
  return (await listedRows(db, given, reachVariant(caller))).map(toRow)
}

const listedRows = prepared((db: Reader, given: ReachParams & { collectionIds: Listed }, variant: ReachVariant) =>
  environmentsInReach(db, reachingOf(given, variant)).where(
    isListed(db, "environment.collection_id", given.collectionIds),
  ),
)

/** With those in the trash. Whether the caller reaches the collections was decided when they were read. */
export async function haveMoreEnvironments(
  db: Reader,
  collectionIds: readonly number[],
  count: number,
): Promise<boolean> {
  const rows = await environmentsBeyond(db, { collectionIds: listed(db, collectionIds), count }, "")
  return rows.length > 0
}

const environmentsBeyond = prepared((db: Reader, given: { collectionIds: Listed; count: number }) =>
  db
    .selectFrom("environment")
    .select("environment.id")
    .where(isListed(db, "environment.collection_id", given.collectionIds))
    .limit(1)
    .offset(given.count),
)

export interface ShownEnvironment extends EnvironmentRow {
  wrappedKey: Uint8Array
  sealedBytes: number
  /** Whether the caller may see the values. */
  isReadable: boolean
}

export async function shownEnvironments(db: Reader, caller: Member, scope: Scope): Promise<ShownEnvironment[]> {
  const rows = await environmentsInScope(db, caller, scope)
    .select((eb) => [
      "collection.data_key as wrappedKey",
      "environment.sealed_bytes as sealedBytes",
      eb.case().when(reachEnvironment(caller, "reader")).then(1).else(0).end().as("readable"),
    ])
    .execute()
  return rows.map(({ readable, ...row }) => ({ ...toRow(row), isReadable: readable === 1 }))
}

function environmentsInScope(db: Reader, caller: Member, scope: Scope) {
  return environmentsInReach(db, caller).where(inScope(scope))
}

function environmentsInReach(db: Reader, caller: Reaching) {
  return db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select(columns)
    .where(reachEnvironment(caller))
    .orderBy("environment.id")
}

export async function sealedBytesIn(db: Reader, caller: Member, scope: Scope): Promise<number> {
  return (await totalsIn(db, caller, scope)).sealedBytes
}

/** What an item takes in memory beside its value: its name, and what goes with it. */
const itemOverheadBytes = 512

/** How much a read of the scope loads. */
export async function loadedBytesIn(db: Reader, caller: Member, scope: Scope): Promise<number> {
  return loadedBytes(await totalsIn(db, caller, scope))
}

export function loadedBytes({ sealedBytes, itemCount }: { sealedBytes: number; itemCount: number }): number {
  return sealedBytes + itemCount * itemOverheadBytes
}

async function totalsIn(db: Reader, caller: Member, scope: Scope): Promise<{ sealedBytes: number; itemCount: number }> {
  const row = await db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => [
      eb.fn.coalesce(eb.fn.sum<number>("environment.sealed_bytes"), eb.lit(0)).as("sealedBytes"),
      eb.fn.coalesce(eb.fn.sum<number>("environment.item_count"), eb.lit(0)).as("itemCount"),
    ])
    .where(reachEnvironment(caller))
    .where(inScope(scope))
    .executeTakeFirstOrThrow()
  return { sealedBytes: Number(row.sealedBytes), itemCount: Number(row.itemCount) }
}

/** Does not wait for environments that are being made at the same time, so there can be a few more. */
export async function hasEnvironments(
  tx: Tx,
  caller: Member,
  { collectionId, count }: { collectionId: number; count: number },
): Promise<boolean> {
  const last = await tx
    .selectFrom("environment")
    .select("id")
    .where("collection_id", "=", collectionId)
    .where(isInReach(caller, collectionId))
    .where("trashed_at", "is", null)
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return last !== undefined
}

/** With those that are being deleted forever, until their rows are gone. */
export function hasTrashedEnvironments(
  tx: Tx,
  caller: Member,
  { collectionId, count }: { collectionId: number; count: number },
): Promise<boolean> {
  const trashed = tx
    .selectFrom("environment")
    .select("id")
    .where("collection_id", "=", collectionId)
    .where(isInReach(caller, collectionId))
    .where("trashed_at", "is not", null)
  return hasRows(trashed, count)
}

/** Inserts only if the collection is in reach; otherwise no row is written or returned. */
export async function insertEnvironment(
  tx: Tx,
  caller: Member,
  { name, collectionId }: { name: string; collectionId: number },
): Promise<EnvironmentRow | undefined> {
  const row = await tx
    .insertInto("environment")
    .columns(["collection_id", "name", "revision", "item_count", "sealed_bytes", "counts_names", "changed_at"])
    .expression((eb) =>
      eb
        .selectFrom("collection")
        .select((eb) => [
          "collection.id",
          eb.cast<string>(eb.val(name), "text").as("name"),
          eb.lit(1).as("revision"),
          eb.lit(0).as("item_count"),
          eb.lit(0).as("sealed_bytes"),
          eb.lit(1).as("counts_names"),
          eb.cast<number>(eb.val(Date.now()), "bigint").as("changed_at"),
        ])
        .where("collection.id", "=", collectionId)
        .where(reach(caller)),
    )
    .returning(columns)
    .executeTakeFirst()
  return row && toRow(row)
}

export async function renameEnvironment(
  tx: Tx,
  caller: Member,
  { id, name }: { id: number; name: string },
): Promise<EnvironmentRow | undefined> {
  const row = await tx
    .updateTable("environment")
    .set((eb) => ({
      name,
      revision: eb
        .case()
        .when("name", "=", name)
        .then(eb.ref("revision"))
        .else(eb("revision", "+", 1))
        .end(),
      changed_at: eb.case().when("name", "=", name).then(eb.ref("changed_at")).else(Date.now()).end(),
    }))
    .where("environment.id", "=", id)
    .where(isEnvironmentInReach(caller))
    .returning(columns)
    .executeTakeFirst()
  return row && toRow(row)
}

/** For an environment that is locked, or was just added. */
export async function setProtection(tx: Tx, { id }: { id: number }, isProtected: boolean): Promise<void> {
  await tx
    .updateTable("environment")
    .set({ is_protected: isProtected ? 1 : 0 })
    .where("id", "=", id)
    .execute()
}

/** Moves a locked environment to the trash, where it has a name that no environment can have: theirs are trimmed. */
export async function trashEnvironment(tx: Tx, caller: Member, { id }: LockedRow): Promise<void> {
  await tx
    .updateTable("environment")
    .set((eb) => ({
      trashed_at: Date.now(),
      trashed_by: eb.selectFrom("user").select("username").where("user.id", "=", caller.userId),
      trashed_name: eb.ref("name"),
      name: sql<string>`' ' || name || ' (in the trash: ' || ${eb.cast("id", "text")} || ')'`,
    }))
    .where("id", "=", id)
    .execute()
}

/** For a change that no environment carries the time of. */
export async function markCollectionChanged(tx: Tx, caller: Member, collectionId: number): Promise<void> {
  await tx
    .updateTable("collection")
    .set({ changed_at: Date.now() })
    .where("collection.id", "=", collectionId)
    .where(reach(caller))
    .execute()
}
