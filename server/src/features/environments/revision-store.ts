import { sql } from "kysely"
import type { Action } from "../../access/actions.ts"
import type { Member } from "../../access/caller.ts"
import {
  type ReachParams,
  type ReachVariant,
  reach,
  reachEnvironment,
  reachingOf,
  reachParams,
  reachVariant,
} from "../../access/reach.ts"
import { locksRows } from "../../db/engine.ts"
import { isListed, listed } from "../../db/listed.ts"
import { prepared } from "../../db/prepared.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// What a new revision of an environment is made of, in the order of a change: the locks, what inherits from it, the versions
// of its items, the environment's own row, and the row of the revision. Whatever raises `environment.revision` adds a
// `revision` row in the same transaction.

export interface EnvironmentRow {
  id: number
  name: string
  collectionId: number
  revision: number
  itemCount: number
  changedAt: number | null
  isProtected: boolean
  baseId: number | null
}

export const columns = [
  "environment.id",
  "environment.name",
  "environment.collection_id as collectionId",
  "environment.revision",
  "environment.item_count as itemCount",
  "environment.changed_at as changedAt",
  "environment.is_protected as protection",
  "environment.base_id as baseId",
] as const

type StoredRow = Omit<EnvironmentRow, "isProtected"> & { protection: number }

export function toRow<Row extends StoredRow>({
  protection,
  ...row
}: Row): Omit<Row, "protection"> & { isProtected: boolean } {
  return { ...row, isProtected: protection === 1 }
}

/** An environment that is locked until the transaction ends. */
type Locked = Pick<LockedRow, "id" | "revision">

export interface LockedRow extends EnvironmentRow {
  sealedBytes: number
  /** 1 if long names are among these bytes. */
  countsNames: number
  wrappedKey: Uint8Array
}

/**
 * Locks the row until the transaction ends. On SQLite the transaction itself is the lock. Not with an update: on
 * PostgreSQL the second update would wait for the collection's row while a delete of the collection waits for this row.
 */
export async function lockEnvironment(tx: Tx, caller: Member, id: number): Promise<LockedRow | undefined> {
  const [row] = await lockedRows(tx, { ...reachParams(caller), id }, reachVariant(caller))
  return row && toRow(row)
}

const lockedRows = prepared((tx: Tx, given: ReachParams & { id: number }, variant: ReachVariant) =>
  tx
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select([
      ...columns,
      "environment.sealed_bytes as sealedBytes",
      "environment.counts_names as countsNames",
      "collection.data_key as wrappedKey",
    ])
    .where("environment.id", "=", given.id)
    .where(reachEnvironment(reachingOf(given, variant)))
    .$if(locksRows(tx), (query) => query.forUpdate("environment")),
)

export async function hasHeirs(db: Tx, environment: { id: number }): Promise<boolean> {
  return (await someHeirs(db, { id: environment.id }, "")).length > 0
}

// Every change of items asks this.
const someHeirs = prepared((db: Tx, given: { id: number }) =>
  db.selectFrom("environment").select("id").where("base_id", "=", given.id).where("trashed_at", "is", null).limit(1),
)

/** Raises the revisions of the direct heirs of some environments, and keeps them locked until the transaction ends. */
export async function raiseHeirs(
  tx: Tx,
  baseIds: readonly number[],
): Promise<{ id: number; revision: number; baseId: number | null }[]> {
  return tx
    .updateTable("environment")
    .set((eb) => ({ revision: eb("revision", "+", 1), changed_at: Date.now() }))
    .where("base_id", "in", baseIds)
    .where("trashed_at", "is", null)
    .returning(["id", "revision", "base_id as baseId"])
    .execute()
}

/** An environment that has a new revision because its base has one. */
export interface Heir {
  id: number
  revision: number
  baseId: number
  baseRevision: number
}

/** The revisions of environments that inherit a change, all in one statement. */
export async function addInherited(tx: Tx, { userId, username, kind }: Member, heirs: readonly Heir[]): Promise<void> {
  const action: Action = "environment.inherit"
  await tx
    .insertInto("revision")
    .values(
      heirs.map(({ id, revision, baseId, baseRevision }) => ({
        environment_id: id,
        number: revision,
        created_at: Date.now(),
        action,
        actor: kind,
        actor_id: userId,
        actor_name: username,
        note: "",
        added: 0,
        changed: 0,
        removed: 0,
        base_id: baseId,
        base_revision: baseRevision,
      })),
    )
    .execute()
}

/**
 * The versions of items that the next revision has written under these names. Copied inside the database, because values
 * can be long.
 */
export async function addVersions(
  tx: Tx,
  { id }: Locked,
  names: readonly string[],
  previousName: string | null = null,
): Promise<void> {
  if (names.length === 0) return
  await sql`
    insert into item_version (environment_id, revision, name, sealed_value, item_id, previous_name)
    select environment_id, revision, name, sealed_value, id, cast(${previousName} as text)
    from item where environment_id = ${id} and ${isListed(tx, "name", listed(tx, names))}`.execute(tx)
}

/** That the next revision has removed these items, or given them other names. */
export async function addRemovals(
  tx: Tx,
  environment: Locked,
  items: readonly { id: number; name: string }[],
): Promise<void> {
  if (items.length === 0) return
  const version = { environment_id: environment.id, revision: environment.revision + 1, sealed_value: null }
  await tx
    .insertInto("item_version")
    .values(items.map(({ id, name }) => ({ ...version, name, item_id: id })))
    .execute()
}

/**
 * Makes writers that enlarge a collection, or change what inherits from what, take turns, even in different environments
 * and on different nodes. New environments and keys do not wait for this lock.
 */
export async function lockCollection(tx: Tx, caller: Member, collectionId: number): Promise<void> {
  await lockedCollections(tx, { ...reachParams(caller), collectionId }, reachVariant(caller))
}

type OfCollection = ReachParams & { collectionId: number }

const lockedCollections = prepared((tx: Tx, given: OfCollection, variant: ReachVariant) =>
  tx
    .selectFrom("collection")
    .select("collection.id")
    .where("collection.id", "=", given.collectionId)
    .where(reach(reachingOf(given, variant)))
    .$if(locksRows(tx), (query) => query.forNoKeyUpdate()),
)

/** With those that are protected, whether the caller may write to them or not: the limit is the collection's. */
export async function sealedBytesOfOtherEnvironments(
  db: Reader,
  caller: Member,
  { id, collectionId }: { id: number; collectionId: number },
): Promise<number> {
  const [row] = await otherBytes(db, { ...reachParams(caller), id, collectionId }, reachVariant(caller))
  return Number(row?.bytes ?? 0)
}

const otherBytes = prepared((db: Reader, given: OfCollection & { id: number }, variant: ReachVariant) =>
  db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>("environment.sealed_bytes"), eb.lit(0)).as("bytes"))
    .where("environment.collection_id", "=", given.collectionId)
    .where(reachEnvironment(reachingOf(given, variant), "viewer"))
    .where("environment.id", "!=", given.id),
)

interface Raised {
  id: number
  itemCount: number
  sealedBytes: number
  supersededBytes: number
}

/**
 * Of an environment that the caller has locked, which also found it in reach. Undefined if its collection was moved to the
 * trash since then.
 */
export async function raiseRevision(tx: Tx, raised: Raised): Promise<EnvironmentRow | undefined> {
  const [row] = await raisedRows(tx, { ...raised, now: Date.now() }, "")
  return row && toRow(row)
}

const raisedRows = prepared((tx: Tx, given: Raised & { now: number }) =>
  tx
    .updateTable("environment")
    .set((eb) => ({
      revision: eb("revision", "+", 1),
      item_count: given.itemCount,
      sealed_bytes: given.sealedBytes,
      counts_names: 1,
      changed_at: given.now,
      history_bytes: eb("history_bytes", "+", given.supersededBytes),
    }))
    .where("environment.id", "=", given.id)
    .where("environment.trashed_at", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("collection")
          .select("collection.id")
          .whereRef("collection.id", "=", "environment.collection_id")
          .where("collection.trashed_at", "is", null),
      ),
    )
    .returning(columns),
)

export interface RevisionCounts {
  added: number
  changed: number
  removed: number
  /** The revision that was restored, or that was copied from. */
  source?: number | null | undefined
  /** The environment that was copied from. */
  sourceEnvironment?: { id: number; name: string } | undefined
}

interface Maker {
  caller: Member
  action: Action
  note?: string
}

interface NumberedRevision {
  environmentId: number
  number: number
  /** Null if the environment is known to have none. It is not looked up then. */
  baseId?: number | null
}

/** Who made a revision, when and how. */
export async function addRevision(
  tx: Tx,
  { caller, action, note = "" }: Maker,
  { environmentId, number, baseId }: NumberedRevision,
  { source = null, sourceEnvironment, ...counts }: RevisionCounts = { added: 0, changed: 0, removed: 0 },
): Promise<void> {
  const by = { actor: caller.kind, userId: caller.userId, username: caller.username }
  const from = {
    source,
    sourceEnvironmentId: sourceEnvironment?.id ?? null,
    sourceEnvironmentName: sourceEnvironment?.name ?? null,
  }
  const base = baseId === null ? "without a base" : "with its base"
  await revisionInsert(tx, { environmentId, number, action, note, ...by, ...counts, ...from, now: Date.now() }, base)
}

interface NewRevision extends Omit<RevisionCounts, "source" | "sourceEnvironment"> {
  environmentId: number
  number: number
  action: Action
  actor: string
  userId: number
  username: string
  note: string
  source: number | null
  sourceEnvironmentId: number | null
  sourceEnvironmentName: string | null
  now: number
}

const revisionInsert = prepared((tx: Tx, given: NewRevision, base: "with its base" | "without a base") =>
  tx.insertInto("revision").values({
    environment_id: given.environmentId,
    number: given.number,
    created_at: given.now,
    action: given.action,
    actor: given.actor,
    actor_id: given.userId,
    actor_name: given.username,
    note: given.note,
    added: given.added,
    changed: given.changed,
    removed: given.removed,
    source: given.source,
    source_environment_id: given.sourceEnvironmentId,
    source_environment_name: given.sourceEnvironmentName,
    ...(base === "without a base" ? {} : baseOf(tx, given.environmentId)),
  }),
)

function baseOf(tx: Tx, environmentId: number) {
  const environment = tx.selectFrom("environment").where("environment.id", "=", environmentId)
  return {
    base_id: environment.select("environment.base_id"),
    base_revision: environment
      .innerJoin("environment as base", "base.id", "environment.base_id")
      .select("base.revision"),
  }
}
