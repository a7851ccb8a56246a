import type { Member } from "../../../access/caller.ts"
import { reachEnvironment, seesProtected } from "../../../access/reach.ts"
import { isLastVersion, type NamesInBatch } from "../../../bounds/last-versions.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import type { LockedEnvironment } from "../change-environment.ts"

// Only `historyOf` finds an environment, within the caller's reach; all other queries take what it found.

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
  sourceEnvironmentId: number | null
  sourceEnvironmentName: string | null
  baseId: number | null
  baseRevision: number | null
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
  "revision.source_environment_id as sourceEnvironmentId",
  "revision.source_environment_name as sourceEnvironmentName",
  "revision.base_id as baseId",
  "revision.base_revision as baseRevision",
] as const

/**
 * An environment that the caller may look into: found within its reach, locked, or opened by a key. Queries about its
 * history take this and not a bare id.
 */
export type Reached = Pick<HistoryOf, "id" | "collectionId">

/** An environment whose history is read. */
export interface HistoryOf {
  id: number
  collectionId: number
  wrappedKey: Uint8Array
  /** What its values and versions take, all together. */
  storedBytes: number
  /** Whether the caller may see the values. */
  isReadable: boolean
  /** Whether the caller would see them if the environment were protected. */
  seesProtected: boolean
}

export async function historyOf(db: Reader, caller: Member, environmentId: number): Promise<HistoryOf | undefined> {
  const row = await db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => [
      "environment.id",
      "environment.collection_id as collectionId",
      "collection.data_key as wrappedKey",
      eb("environment.sealed_bytes", "+", eb.ref("environment.history_bytes")).as("storedBytes"),
      eb.case().when(reachEnvironment(caller, "reader")).then(1).else(0).end().as("readable"),
      eb.case().when(seesProtected(caller)).then(1).else(0).end().as("protectedReadable"),
    ])
    .where("environment.id", "=", environmentId)
    .where(reachEnvironment(caller))
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { readable, protectedReadable, ...environment } = row
  const isReadable = readable === 1
  return { ...environment, isReadable, seesProtected: isReadable && protectedReadable === 1 }
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

/**
 * What revisions have written, each by name. An old name is there too if the revision gave the item a new one: as removed,
 * or with what else the revision put there. In the order of the index by revision: for the order of names alone, SQLite
 * would read all versions of the environment.
 */
export async function namesWrittenBy(
  db: Reader,
  { id }: Reached,
  numbers: readonly number[],
): Promise<(Pick<VersionRow, "revision" | "name" | "previousName"> & { isRemoved: number | boolean })[]> {
  if (numbers.length === 0) return []
  return db
    .selectFrom("item_version")
    .select((eb) => [
      "revision",
      "name",
      "previous_name as previousName",
      eb
        .and([eb("sealed_value", "is", null), eb("erased_at", "is", null)])
        .$castTo<number | boolean>()
        .as("isRemoved"),
    ])
    .where("environment_id", "=", id)
    .where("revision", "in", numbers)
    .orderBy("revision")
    .orderBy("name")
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

export interface KeptHistory {
  /** The first revision that can be read. */
  historyFrom: number
  /** How much there is to read at most. */
  storedBytes: number
  isProtected: boolean
}

/** None of what is being deleted forever: some of its rows may be gone already, and what is left would look whole. */
export async function keptHistory(db: Reader, { id }: Reached): Promise<KeptHistory | undefined> {
  const row = await db
    .selectFrom("environment")
    .select((eb) => [
      "history_from as historyFrom",
      eb("sealed_bytes", "+", eb.ref("history_bytes")).as("storedBytes"),
      "is_protected as protection",
    ])
    .where("id", "=", id)
    .where((eb) => eb.or([eb("trashed_at", "is", null), eb("trashed_at", ">", 0)]))
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { protection, ...kept } = row
  return { ...kept, isProtected: protection === 1 }
}

/** A name's state since a revision. Without a sealed value it was removed or, if it says so, erased. */
export interface VersionRow {
  environmentId: number
  revision: number
  name: string
  itemId: number
  sealedValue: Uint8Array | null
  previousName: string | null
  erasedAt: number | null
  erasedBy: string | null
}

const versionColumns = [
  "item_version.environment_id as environmentId",
  "item_version.revision",
  "item_version.name",
  "item_version.item_id as itemId",
  "item_version.sealed_value as sealedValue",
  "item_version.previous_name as previousName",
  "item_version.erased_at as erasedAt",
  "item_version.erased_by as erasedBy",
] as const

export const rowsPerBatch = 500

/** Of given names, up to `rowsPerBatch`. */
export type StateBatch = { revision: number } & NamesInBatch

/** The last version of each name up to a revision, by name, one batch. Names that were removed by then are among them. */
export function stateRows(db: Reader, { id }: Reached, batch: StateBatch): Promise<VersionRow[]> {
  return db
    .selectFrom("item_version")
    .select(versionColumns)
    .where("item_version.environment_id", "=", id)
    .where(isLastVersion(id, { ...batch, count: rowsPerBatch }))
    .orderBy("item_version.name")
    .execute()
}

/** Which names were written when, from one version on and up to a revision, one batch. */
export function writtenNames(
  db: Reader,
  { id }: Reached,
  { after, upTo }: { after: { revision: number; name: string }; upTo: number },
): Promise<{ revision: number; name: string }[]> {
  return db
    .selectFrom("item_version")
    .select(["revision", "name"])
    .where("environment_id", "=", id)
    .where(({ eb, refTuple, tuple }) => eb(refTuple("revision", "name"), ">", tuple(after.revision, after.name)))
    .where("revision", "<=", upTo)
    .orderBy("revision")
    .orderBy("name")
    .limit(rowsPerBatch)
    .execute()
}

/** The names of the state at a revision whose values were erased since. */
export async function erasedNames(db: Reader, { id }: Reached, revision: number): Promise<string[]> {
  const rows = await db
    .selectFrom("item_version as erased")
    .select("erased.name")
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
    .execute()
  return rows.map((row) => row.name)
}

/** A version with who made it. */
export type WrittenVersion = VersionRow & Omit<RevisionRow, "number">

/** Of one name, newest first. */
export function versionRows(
  db: Reader,
  { id }: Reached,
  { name, before, count }: { name: string; before: number; count: number },
): Promise<WrittenVersion[]> {
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
