import { sql } from "kysely"
import type { Action } from "../../../access/actions.ts"
import type { Member } from "../../../access/caller.ts"
import { reachEnvironment } from "../../../access/reach.ts"
import { engineOf } from "../../../db/engine.ts"
import { prepared } from "../../../db/prepared.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import type { LockedEnvironment } from "../lock.ts"

// Only `historyOf` finds an environment, within the caller's reach; all other queries take what it found. What raises an
// environment's revision calls `addRevision`, in the same transaction, and nothing else may.

/**
 * The versions of items that the next revision has written under these names. Copied inside the database, because values
 * can be long. The names are one parameter: with many, the query builder would take more time than the engine.
 */
export async function addVersions(
  tx: Tx,
  { id }: LockedEnvironment,
  names: readonly string[],
  previousName: string | null = null,
): Promise<void> {
  if (names.length === 0) return
  const isNamed =
    engineOf(tx) === "postgres"
      ? sql`name = any(${names}::text[])`
      : sql`name in (select value from json_each(${JSON.stringify(names)}))`
  await sql`
    insert into item_version (environment_id, revision, name, sealed_value, item_id, previous_name)
    select environment_id, revision, name, sealed_value, id, cast(${previousName} as text)
    from item where environment_id = ${id} and ${isNamed}`.execute(tx)
}

/** That the next revision has removed these items, or given them other names. */
export async function addRemovals(
  tx: Tx,
  environment: LockedEnvironment,
  items: readonly { id: number; name: string }[],
): Promise<void> {
  if (items.length === 0) return
  const version = { environment_id: environment.id, revision: environment.revision + 1, sealed_value: null }
  await tx
    .insertInto("item_version")
    .values(items.map(({ id, name }) => ({ ...version, name, item_id: id })))
    .execute()
}

export interface RevisionCounts {
  added: number
  changed: number
  removed: number
  /** The revision that was restored. */
  source?: number | null | undefined
}

interface Maker {
  caller: Member
  action: Action
  note?: string
}

/** Who made a revision, when and how. */
export async function addRevision(
  tx: Tx,
  { caller, action, note = "" }: Maker,
  { environmentId, number }: { environmentId: number; number: number },
  { source = null, ...counts }: RevisionCounts = { added: 0, changed: 0, removed: 0 },
): Promise<void> {
  const by = { actor: caller.kind, userId: caller.userId }
  await revisionInsert(tx, { environmentId, number, action, note, ...by, ...counts, source, now: Date.now() }, "")
}

interface NewRevision extends Omit<RevisionCounts, "source"> {
  environmentId: number
  number: number
  action: Action
  actor: string
  userId: number
  note: string
  source: number | null
  now: number
}

const revisionInsert = prepared((tx: Tx, given: NewRevision) =>
  tx.insertInto("revision").values((eb) => ({
    environment_id: given.environmentId,
    number: given.number,
    created_at: given.now,
    action: given.action,
    actor: given.actor,
    actor_id: given.userId,
    actor_name: eb.fn.coalesce(
      eb.selectFrom("user").select("username").where("user.id", "=", given.userId),
      eb.val(""),
    ),
    note: given.note,
    added: given.added,
    changed: given.changed,
    removed: given.removed,
    source: given.source,
  })),
)

export interface RevisionRow {
  number: number
  createdAt: number
  action: string
  actor: string
  actorName: string
  note: string
  added: number
  changed: number
  removed: number
  source: number | null
}

const revisionColumns = [
  "revision.number",
  "revision.created_at as createdAt",
  "revision.action",
  "revision.actor",
  "revision.actor_name as actorName",
  "revision.note",
  "revision.added",
  "revision.changed",
  "revision.removed",
  "revision.source",
] as const

/**
 * An environment that the caller may look into: found within its reach, locked, or opened by a key. Queries about its
 * history take this and not a bare id.
 */
export type Reached = Pick<HistoryOf, "id" | "collectionId">

/** Who made these revisions, by number. Those that are no longer kept are missing. */
export async function makersOf(
  tx: Tx,
  environment: Pick<LockedEnvironment, "id">,
  numbers: readonly number[],
): Promise<Map<number, Pick<RevisionRow, "actor" | "actorName" | "createdAt">>> {
  if (numbers.length === 0) return new Map()
  const rows = await tx
    .selectFrom("revision")
    .select(["number", "actor", "actor_name as actorName", "created_at as createdAt"])
    .where("environment_id", "=", environment.id)
    .where("number", "in", numbers)
    .execute()
  return new Map(rows.map((row) => [row.number, row]))
}

/** The last revision that renamed the environment, if it came after this one. */
export async function renamedSince(
  tx: Tx,
  environment: Pick<LockedEnvironment, "id">,
  revision: number,
): Promise<number | undefined> {
  const action: Action = "environment.rename"
  const row = await tx
    .selectFrom("revision")
    .select("number")
    .where("environment_id", "=", environment.id)
    .where("number", ">", revision)
    .where("action", "=", action)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst()
  return row?.number
}

/** The names that were written after a revision, newest first: each version, so a name can be there several times. */
export function namesSince(
  tx: Tx,
  environment: LockedEnvironment,
  { revision, count }: { revision: number; count: number },
): Promise<{ name: string; revision: number; isDeleted: number | boolean }[]> {
  return tx
    .selectFrom("item_version")
    .select((eb) => [
      "name",
      "revision",
      eb.and([eb("sealed_value", "is", null), eb("erased_at", "is", null)]).as("isDeleted"),
    ])
    .where("environment_id", "=", environment.id)
    .where("revision", ">", revision)
    .orderBy("revision", "desc")
    .limit(count)
    .execute() as Promise<{ name: string; revision: number; isDeleted: number | boolean }[]>
}

/** An environment whose history is read. */
export interface HistoryOf {
  id: number
  collectionId: number
  wrappedKey: Uint8Array
  /** What its values and versions take, all together. */
  storedBytes: number
}

export function historyOf(db: Reader, caller: Member, environmentId: number): Promise<HistoryOf | undefined> {
  return db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => [
      "environment.id",
      "environment.collection_id as collectionId",
      "collection.data_key as wrappedKey",
      eb("environment.sealed_bytes", "+", eb.ref("environment.history_bytes")).as("storedBytes"),
    ])
    .where("environment.id", "=", environmentId)
    .where(reachEnvironment(caller))
    .executeTakeFirst()
}

/** Newest first, without what is no longer kept. */
export function revisionRows(
  db: Reader,
  { id }: Reached,
  { before, count }: { before: number; count: number },
): Promise<RevisionRow[]> {
  return db
    .selectFrom("revision")
    .select(revisionColumns)
    .where("revision.environment_id", "=", id)
    .where("revision.number", "<", before)
    .where("revision.number", ">=", (eb) =>
      eb.selectFrom("environment").select("environment.history_from").where("environment.id", "=", id),
    )
    .orderBy("revision.number", "desc")
    .limit(count)
    .execute()
}

export function revisionRow(db: Reader, { id }: Reached, number: number): Promise<RevisionRow | undefined> {
  return db
    .selectFrom("revision")
    .select(revisionColumns)
    .where("revision.environment_id", "=", id)
    .where("revision.number", "=", number)
    .executeTakeFirst()
}

/** The first revision that can be read, and how much there is to read at most. */
export function keptHistory(
  db: Reader,
  { id }: Reached,
): Promise<{ historyFrom: number; storedBytes: number } | undefined> {
  return db
    .selectFrom("environment")
    .select((eb) => ["history_from as historyFrom", eb("sealed_bytes", "+", eb.ref("history_bytes")).as("storedBytes")])
    .where("id", "=", id)
    .executeTakeFirst()
}

/** A name's state since a revision. Without a sealed value it was removed or, if it says so, erased. */
export interface VersionRow {
  revision: number
  name: string
  itemId: number
  sealedValue: Uint8Array | null
  previousName: string | null
  erasedAt: number | null
  erasedBy: string | null
}

const versionColumns = [
  "item_version.revision",
  "item_version.name",
  "item_version.item_id as itemId",
  "item_version.sealed_value as sealedValue",
  "item_version.previous_name as previousName",
  "item_version.erased_at as erasedAt",
  "item_version.erased_by as erasedBy",
] as const

export const rowsPerBatch = 500

/** The state at a revision. With `changed`, only of names that were written after one revision and up to another. */
export interface StateAt {
  revision: number
  changed?: { after: number; upTo: number } | undefined
}

/** The last version of each name up to a revision, by name, one batch. Names that were removed by then are among them. */
export function stateRows(
  db: Reader,
  { id }: Reached,
  { revision, changed, afterName }: StateAt & { afterName: string },
): Promise<VersionRow[]> {
  return db
    .selectFrom("item_version")
    .select(versionColumns)
    .innerJoin(
      (eb) =>
        eb
          .selectFrom("item_version as any")
          .select((eb) => ["any.name as lastName", eb.fn.max("any.revision").as("lastRevision")])
          .where("any.environment_id", "=", id)
          .where("any.revision", "<=", revision)
          .where("any.name", ">", afterName)
          .$if(changed !== undefined, (query) =>
            query.where("any.name", "in", (eb) =>
              eb
                .selectFrom("item_version as changed")
                .select("changed.name")
                .where("changed.environment_id", "=", id)
                .where("changed.revision", ">", changed?.after ?? 0)
                .where("changed.revision", "<=", changed?.upTo ?? 0),
            ),
          )
          .groupBy("any.name")
          .orderBy("any.name")
          .limit(rowsPerBatch)
          .as("last"),
      (join) =>
        join.onRef("item_version.name", "=", "last.lastName").onRef("item_version.revision", "=", "last.lastRevision"),
    )
    .where("item_version.environment_id", "=", id)
    .orderBy("item_version.name")
    .execute()
}

/** Whether the state at a revision has a value that was erased since. */
export async function hasErased(db: Reader, { id }: Reached, revision: number): Promise<boolean> {
  const row = await db
    .selectFrom("item_version as erased")
    .select("erased.id")
    .where("erased.environment_id", "=", id)
    .where("erased.erased_at", "is not", null)
    .where("erased.revision", "<=", revision)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("item_version as later")
            .select("later.id")
            .where("later.environment_id", "=", id)
            .whereRef("later.name", "=", "erased.name")
            .whereRef("later.revision", ">", "erased.revision")
            .where("later.revision", "<=", revision),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Of one name, newest first, with who made each. */
export function versionRows(
  db: Reader,
  { id }: Reached,
  { name, before, count }: { name: string; before: number; count: number },
): Promise<(VersionRow & Omit<RevisionRow, "number">)[]> {
  return db
    .selectFrom("item_version")
    .innerJoin("revision", (join) =>
      join
        .onRef("revision.environment_id", "=", "item_version.environment_id")
        .onRef("revision.number", "=", "item_version.revision"),
    )
    .select([...versionColumns, ...revisionColumns])
    .where("item_version.environment_id", "=", id)
    .where("item_version.name", "=", name)
    .where("item_version.revision", "<", before)
    .orderBy("item_version.revision", "desc")
    .limit(count)
    .execute()
}

/** The version of a name that counts at a revision. */
export function versionAt(
  db: Reader,
  { id }: Reached,
  { name, revision }: { name: string; revision: number },
): Promise<VersionRow | undefined> {
  return db
    .selectFrom("item_version")
    .select(versionColumns)
    .where("environment_id", "=", id)
    .where("name", "=", name)
    .where("revision", "<=", revision)
    .orderBy("revision", "desc")
    .limit(1)
    .executeTakeFirst()
}

/** Removes the value of a superseded version, and counts `sealedBytes` less in the environment's history. */
export async function eraseVersion(
  tx: Tx,
  environment: LockedEnvironment,
  { name, revision, sealedBytes }: { name: string; revision: number; sealedBytes: number },
): Promise<void> {
  await tx
    .updateTable("item_version")
    .set((eb) => ({
      sealed_value: null,
      erased_at: Date.now(),
      erased_by: eb.selectFrom("user").select("username").where("user.id", "=", environment.caller.userId),
    }))
    .where("environment_id", "=", environment.id)
    .where("name", "=", name)
    .where("revision", "=", revision)
    .execute()
  await tx
    .updateTable("environment")
    .set((eb) => ({ history_bytes: eb("history_bytes", "-", sealedBytes) }))
    .where("id", "=", environment.id)
    .execute()
}
