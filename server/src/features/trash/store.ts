import { type RawBuilder, sql } from "kysely"
import type { Member } from "../../access/caller.ts"
import { reach, reachAllTrash, reachTrash, reachTrashedEnvironment } from "../../access/reach.ts"
import type { RowKey } from "../../bounds/bad-rows.ts"
import { deleteInBatches } from "../../bounds/batches.ts"
import { locksRows } from "../../db/engine.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { type Contents, contentsOf, type Path } from "../../db/table-lists.ts"

// What a caller asks for has their reach in its WHERE. What the server itself deletes forever is found by its time.

export interface TrashedRow {
  id: number
  name: string
  trashedAt: number | null
  trashedBy: string | null
  itemCount: number
}

const shownRows = 200

/** The environments that are in a collection, without those that were in the trash before it. */
const liveEnvironments = sql<number>`from environment
  where environment.collection_id = collection.id and environment.trashed_at is null`

export async function trashedCollections(
  db: Reader,
  caller: Member,
): Promise<{ rows: (TrashedRow & { environmentCount: number })[]; total: number }> {
  const trashed = db.selectFrom("collection").where(reachAllTrash(db, caller))
  const rows = await trashed
    .select([
      "collection.id",
      "collection.name",
      "collection.trashed_at as trashedAt",
      "collection.trashed_by as trashedBy",
      sql<number>`(select count(*) ${liveEnvironments})`.as("environmentCount"),
      sql<number>`(select coalesce(sum(environment.item_count), 0) ${liveEnvironments})`.as("itemCount"),
    ])
    .orderBy("collection.trashed_at", "desc")
    .orderBy("collection.id", "desc")
    .limit(shownRows)
    .execute()
  const { total } = await trashed.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  return { rows, total }
}

export async function trashedEnvironments(
  db: Reader,
  caller: Member,
  collectionId: number,
): Promise<{ rows: TrashedRow[]; total: number }> {
  const trashed = db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .where("environment.collection_id", "=", collectionId)
    .where(reachTrashedEnvironment(caller))
  const rows = await trashed
    .select((eb) => [
      "environment.id",
      eb.fn.coalesce("environment.trashed_name", "environment.name").as("name"),
      "environment.trashed_at as trashedAt",
      "environment.trashed_by as trashedBy",
      "environment.item_count as itemCount",
    ])
    .orderBy("environment.trashed_at", "desc")
    .orderBy("environment.id", "desc")
    .limit(shownRows)
    .execute()
  const { total } = await trashed.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  return { rows, total }
}

export async function usernameOf(db: Reader, caller: Member): Promise<string | undefined> {
  const row = await db.selectFrom("user").select("username").where("id", "=", caller.userId).executeTakeFirst()
  return row?.username
}

export async function collectionName(db: Reader, caller: Member, id: number): Promise<string | undefined> {
  const row = await db
    .selectFrom("collection")
    .select("collection.name")
    .where("collection.id", "=", id)
    .where(reach(caller))
    .executeTakeFirst()
  return row?.name
}

/** In the trash, and locked until the transaction ends: it can be restored, or deleted forever, only once. */
export interface LockedCollection {
  id: number
  name: string
  /** Who pays. */
  ownerId: number
}

export function lockCollection(tx: Tx, caller: Member, id: number): Promise<LockedCollection | undefined> {
  return collectionInTrash(tx, caller, id)
    .$if(locksRows(tx), (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
}

export async function trashedCollectionName(db: Reader, caller: Member, id: number): Promise<string | undefined> {
  return (await collectionInTrash(db, caller, id).executeTakeFirst())?.name
}

function collectionInTrash(db: Reader, caller: Member, id: number) {
  return db
    .selectFrom("collection")
    .select(["collection.id", "collection.name", "collection.owner_id as ownerId"])
    .where("collection.id", "=", id)
    .where(reachTrash(caller))
}

export interface LockedEnvironment {
  id: number
  name: string
  collectionId: number
  sealedBytes: number
  isProtected: boolean
}

export async function lockEnvironment(tx: Tx, caller: Member, id: number): Promise<LockedEnvironment | undefined> {
  const row = await tx
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => [
      "environment.id",
      eb.fn.coalesce("environment.trashed_name", "environment.name").as("name"),
      "environment.collection_id as collectionId",
      "environment.sealed_bytes as sealedBytes",
      "environment.is_protected as protection",
    ])
    .where("environment.id", "=", id)
    .where(reachTrashedEnvironment(caller))
    .$if(locksRows(tx), (query) => query.forUpdate("environment"))
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { protection, ...environment } = row
  return { ...environment, isProtected: protection === 1 }
}

export async function restoreCollection(tx: Tx, { id }: LockedCollection, name: string): Promise<void> {
  await tx
    .updateTable("collection")
    .set({ name, trashed_at: null, trashed_by: null, changed_at: Date.now() })
    .where("id", "=", id)
    .execute()
}

/** Whether it inherited from another environment when it was deleted. */
export async function hadBase(tx: Tx, { id }: LockedEnvironment): Promise<boolean> {
  const row = await tx
    .selectFrom("revision")
    .select("base_id as baseId")
    .where("environment_id", "=", id)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst()
  return row !== undefined && row.baseId !== null
}

/**
 * Another name is a change of the environment, and what it inherits may have changed, so they raise the revision. Returns
 * the new revision in these cases.
 */
export async function restoreEnvironment(
  tx: Tx,
  environment: LockedEnvironment,
  { name, baseId, hadBase }: { name: string; baseId: number | null; hadBase: boolean },
): Promise<number | undefined> {
  const isChanged = name !== environment.name || hadBase
  const { revision } = await tx
    .updateTable("environment")
    .set((eb) => ({
      name,
      trashed_at: null,
      trashed_by: null,
      trashed_name: null,
      base_id: baseId,
      ...(isChanged ? { revision: eb("revision", "+", 1), changed_at: Date.now() } : {}),
    }))
    .where("id", "=", environment.id)
    .returning("revision")
    .executeTakeFirstOrThrow()
  await tx
    .updateTable("collection")
    .set({ changed_at: Date.now() })
    .where("id", "=", environment.collectionId)
    .execute()
  return isChanged ? revision : undefined
}

// To delete forever takes two steps. First the time is set to 0, and from then on no call finds it. Then its rows are
// deleted in small batches, each a statement of its own, so that no writer waits for long. If the process ends in
// between, the job goes on.

export async function markCollection(tx: Tx, { id }: LockedCollection): Promise<void> {
  await tx.updateTable("collection").set({ trashed_at: 0 }).where("id", "=", id).execute()
}

export async function markEnvironment(tx: Tx, { id }: LockedEnvironment): Promise<void> {
  await tx.updateTable("environment").set({ trashed_at: 0 }).where("id", "=", id).execute()
}

/** Those of them that are still in the trash. */
export async function markCollections(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const rows = await tx
    .updateTable("collection")
    .set({ trashed_at: 0 })
    .where("id", "in", ids)
    .where("trashed_at", "is not", null)
    .returning("id")
    .execute()
  return rows.map((row) => row.id)
}

/** Some of the caller's, as long as there are any. Returns the ids of what is now to be deleted. */
export async function markSomeCollections(tx: Tx, caller: Member, count: number): Promise<number[]> {
  const found = tx.selectFrom("collection").select("collection.id").where(reachAllTrash(tx, caller)).limit(count)
  const rows = await found.$if(locksRows(tx), (query) => query.forNoKeyUpdate("collection")).execute()
  const ids = rows.map((row) => row.id)
  return ids.length === 0 ? [] : markCollections(tx, ids)
}

/** The same for the environments of a collection. */
export async function markSomeEnvironments(
  tx: Tx,
  caller: Member,
  { collectionId, count }: { collectionId: number; count: number },
): Promise<number[]> {
  const found = tx
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select("environment.id")
    .where("environment.collection_id", "=", collectionId)
    .where(reachTrashedEnvironment(caller))
    .limit(count)
  // If PostgreSQL has waited for a row, it looks at the conditions again: the row may be restored by now.
  const rows = await found.$if(locksRows(tx), (query) => query.forNoKeyUpdate("environment")).execute()
  const ids = rows.map((row) => row.id)
  if (ids.length > 0) await tx.updateTable("environment").set({ trashed_at: 0 }).where("id", "in", ids).execute()
  return ids
}

export type Kind = "collection" | "environment"

const expiredPerRun = 500

/** Some of those that were moved to the trash before a time, or are marked. */
export async function expired(
  db: Reader,
  kind: Kind,
  { before, except }: { before: number; except: readonly RowKey[] },
): Promise<{ id: number; isMarked: boolean }[]> {
  const rows = await db
    .selectFrom(kind)
    .select(["id", "trashed_at as trashedAt"])
    .where("trashed_at", "<=", before)
    .$if(except.length > 0, (query) => query.where("id", "not in", except.map(Number)))
    .orderBy("trashed_at")
    .limit(expiredPerRun)
    .execute()
  return rows.map(({ id, trashedAt }) => ({ id, isMarked: trashedAt === 0 }))
}

/** False if it was restored in the meantime. */
export async function markExpired(
  tx: Tx,
  kind: Kind,
  { id, before }: { id: number; before: number },
): Promise<boolean> {
  const row = await tx
    .updateTable(kind)
    .set({ trashed_at: 0 })
    .where("id", "=", id)
    .where("trashed_at", ">", 0)
    .where("trashed_at", "<=", before)
    .returning("id")
    .executeTakeFirst()
  return row !== undefined
}

export async function environmentIdsOf(db: Reader, collectionId: number): Promise<number[]> {
  const rows = await db.selectFrom("environment").select("id").where("collection_id", "=", collectionId).execute()
  return rows.map((row) => row.id)
}

/** With the largest values this is a short piece of work on the thread: SQLite overwrites what it deletes. */
const rowsPerDelete = 100

/**
 * What an environment or a collection holds by the thousand, in batches; `db/tables.ts` says which tables have so many. The
 * rest goes with its own row, which also counts what is deleted.
 */
export async function deleteContents(tx: Tx, kind: Kind, id: number, signal?: AbortSignal): Promise<void> {
  for (const contents of contentsOf(kind).reverse()) {
    if (signal?.aborted) return
    await deleteInBatches(rowsPerDelete, () => deleteSome(tx, contents, id), signal)
  }
}

async function deleteSome(tx: Tx, { table, path }: Contents, ownerId: number): Promise<number> {
  // After a wait for another process that deletes the same rows, this would find none, and take that for the end.
  const lock = locksRows(tx) ? sql`for update skip locked` : sql``
  const statement = sql`delete from ${sql.table(table)} where id in (
    select id from ${sql.table(table)} where ${belongsTo(path, ownerId)} limit ${rowsPerDelete} ${lock})`
  const { numAffectedRows } = await statement.execute(tx)
  return Number(numAffectedRows)
}

function belongsTo([first, ...rest]: Path, id: number): RawBuilder<unknown> {
  if (first === undefined) return sql`id = ${id}`
  const { column, parent } = first
  if (rest.length === 0) return sql`${sql.ref(column)} = ${id}`
  return sql`${sql.ref(column)} in (select id from ${sql.table(parent)} where ${belongsTo(rest, id)})`
}

export interface DeletedEnvironment {
  collectionId: number
  itemCount: number
  apiKeyCount: number
  /** Of values and of history. */
  sealedBytes: number
}

/** Undefined if another process has deleted it. */
export async function deleteEnvironment(tx: Tx, id: number): Promise<DeletedEnvironment | undefined> {
  const row = await tx
    .selectFrom("environment")
    .select((eb) => [
      "environment.collection_id as collectionId",
      "environment.item_count as itemCount",
      eb("environment.sealed_bytes", "+", eb.ref("environment.history_bytes")).as("sealedBytes"),
    ])
    .where("environment.id", "=", id)
    .$if(locksRows(tx), (query) => query.forUpdate("environment"))
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { numDeletedRows } = await tx.deleteFrom("api_key").where("environment_id", "=", id).executeTakeFirst()
  await tx.deleteFrom("environment").where("id", "=", id).execute()
  return { ...row, sealedBytes: Number(row.sealedBytes), apiKeyCount: Number(numDeletedRows) }
}

export interface DeletedCollection {
  ownerId: number
  describedCount: number
  describedBytes: number
}

/** Undefined if it is gone already, or if an environment was added at the last moment. */
export async function deleteEmptyCollection(tx: Tx, id: number): Promise<DeletedCollection | undefined> {
  if (locksRows(tx)) await tx.selectFrom("collection").select("id").where("id", "=", id).forUpdate().execute()
  return tx
    .deleteFrom("collection")
    .where("id", "=", id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("environment").select("id").where("collection_id", "=", id))),
    )
    .returning(["owner_id as ownerId", "described_count as describedCount", "described_bytes as describedBytes"])
    .executeTakeFirst()
}
