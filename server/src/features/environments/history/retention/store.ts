import type { RowKey } from "../../../../bounds/bad-rows.ts"
import { locksRows } from "../../../../db/engine.ts"
import type { Reader, Tx } from "../../../../db/schema.ts"

// The server looks after all histories, so nothing here asks who may see them.

export interface Bounds {
  /** So many revisions are kept however old they are. */
  newest: number
  /** Older ones may go. */
  before: number
  maxBytes: number
}

/** Environments in the order of their ids, and whether their history is too long or too large. */
export async function historiesToPrune(
  db: Reader,
  { afterId, count, newest, before, maxBytes }: { afterId: number; count: number } & Bounds,
): Promise<{ id: number; isTooLong: boolean }[]> {
  const rows = await db
    .selectFrom("environment")
    .select((eb) => {
      const kept = eb
        .selectFrom("revision")
        .whereRef("revision.environment_id", "=", "environment.id")
        .whereRef("revision.number", ">=", "environment.history_from")
        .limit(1)
      const oldestAt = kept.select("revision.created_at").orderBy("revision.number")
      const olderThanNewest = kept.select("revision.number").orderBy("revision.number", "desc").offset(newest)
      return [
        "environment.id",
        eb
          .or([
            eb("environment.history_bytes", ">", maxBytes),
            eb.and([eb(oldestAt, "<", before), eb(olderThanNewest, "is not", null)]),
          ])
          .$castTo<number | boolean | null>()
          .as("isTooLong"),
      ]
    })
    .where("environment.id", ">", afterId)
    .orderBy("environment.id")
    .limit(count)
    .execute()
  return rows.map(({ id, isTooLong }) => ({ id, isTooLong: Boolean(isTooLong) }))
}

/** Accounts over their quota that would not be over it without their history. */
export function accountsOverQuota(db: Reader, quotaBytes: number): Promise<{ userId: number }[]> {
  return db
    .selectFrom("user")
    .select("user.id as userId")
    .where("user.stored_bytes", ">", quotaBytes)
    .where((eb) => {
      const historyBytes = eb
        .selectFrom("environment")
        .innerJoin("collection", "collection.id", "environment.collection_id")
        .select((eb) => eb.fn.sum<number>("environment.history_bytes").as("bytes"))
        .whereRef("collection.owner_id", "=", "user.id")
      return eb(eb("user.stored_bytes", "-", historyBytes), "<=", quotaBytes)
    })
    .orderBy("user.id")
    .execute()
}

/** Of an account that is still over its quota: the environment whose first kept revision is the oldest. */
export async function oldestHistoryOf(
  db: Reader,
  { userId, quotaBytes, except }: { userId: number; quotaBytes: number; except: readonly RowKey[] },
): Promise<number | undefined> {
  const row = await db
    .selectFrom("user")
    .innerJoin("collection", "collection.owner_id", "user.id")
    .innerJoin("environment", "environment.collection_id", "collection.id")
    .innerJoin("revision", (join) =>
      join
        .onRef("revision.environment_id", "=", "environment.id")
        .onRef("revision.number", "=", "environment.history_from"),
    )
    .select("environment.id")
    .where("user.id", "=", userId)
    .where("user.stored_bytes", ">", quotaBytes)
    .where("environment.history_bytes", ">", 0)
    .whereRef("environment.history_from", "<", "environment.revision")
    .$if(except.length > 0, (query) => query.where("environment.id", "not in", except.map(Number)))
    .orderBy("revision.created_at")
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

export interface LockedHistory {
  id: number
  revision: number
  /** The first revision that is kept. */
  historyFrom: number
  historyBytes: number
  collectionId: number
}

/** Locks the environment as its writers do. */
export function lockHistory(tx: Tx, environmentId: number): Promise<LockedHistory | undefined> {
  return tx
    .selectFrom("environment")
    .select([
      "environment.id",
      "environment.revision",
      "environment.history_from as historyFrom",
      "environment.history_bytes as historyBytes",
      "environment.collection_id as collectionId",
    ])
    .where("environment.id", "=", environmentId)
    .$if(locksRows(tx), (query) => query.forUpdate("environment"))
    .executeTakeFirst()
}

/** The first of the newest revisions, or an earlier one that is not older than a time. */
export async function firstInTime(
  db: Reader,
  { id, historyFrom }: LockedHistory,
  { newest, before }: Pick<Bounds, "newest" | "before">,
): Promise<number | undefined> {
  const kept = db
    .selectFrom("revision")
    .select("number")
    .where("environment_id", "=", id)
    .where("number", ">=", historyFrom)
    .limit(1)
  const ofNewest = await kept
    .orderBy("number", "desc")
    .offset(newest - 1)
    .executeTakeFirst()
  if (ofNewest === undefined) return undefined
  const ofTime = await kept
    .where("number", "<", ofNewest.number)
    .where("created_at", ">=", before)
    .orderBy("number")
    .executeTakeFirst()
  return ofTime?.number ?? ofNewest.number
}

/** The kept revision so many after the first one, or the last one. */
export async function revisionAfter(db: Reader, { id, historyFrom, revision }: LockedHistory, count: number) {
  const row = await db
    .selectFrom("revision")
    .select("number")
    .where("environment_id", "=", id)
    .where("number", ">", historyFrom)
    .orderBy("number")
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return row?.number ?? revision
}

export interface OldVersion {
  id: number
  nameBytes: number
  sealedBytes: number
  isRemoval: number | boolean
}

/**
 * Versions that no state from a revision on shows: those that were replaced before it, and removals before it. What it
 * has replaced itself stays, to tell what it has changed. In the order of revisions: a removal must not go before what it
 * removed.
 */
export function oldVersions(
  db: Reader,
  { id }: LockedHistory,
  { keepFrom, count }: { keepFrom: number; count: number },
): Promise<OldVersion[]> {
  return db
    .selectFrom("item_version as old")
    .select((eb) => [
      "old.id",
      eb.fn<number>("octet_length", ["old.name"]).as("nameBytes"),
      eb.fn.coalesce(eb.fn<number>("length", ["old.sealed_value"]), eb.lit(0)).as("sealedBytes"),
      eb
        .and([eb("old.sealed_value", "is", null), eb("old.erased_at", "is", null)])
        .$castTo<number | boolean>()
        .as("isRemoval"),
    ])
    .where("old.environment_id", "=", id)
    .where("old.revision", "<", keepFrom)
    .where(({ and, eb, exists, or, selectFrom }) =>
      or([
        and([eb("old.sealed_value", "is", null), eb("old.erased_at", "is", null)]),
        exists(
          selectFrom("item_version as later")
            .select("later.id")
            .where("later.environment_id", "=", id)
            .whereRef("later.name", "=", "old.name")
            .whereRef("later.revision", ">", "old.revision")
            .where("later.revision", "<", keepFrom),
        ),
      ]),
    )
    .orderBy("old.revision")
    .limit(count)
    .execute()
}

export async function deleteVersions(tx: Tx, versions: readonly OldVersion[]): Promise<void> {
  if (versions.length === 0) return
  const ids = versions.map(({ id }) => id)
  await tx.deleteFrom("item_version").where("id", "in", ids).execute()
}

/** Revisions before a number, unless a version that is kept needs them to tell who wrote it. Returns what went. */
export function deleteRevisions(
  tx: Tx,
  { id }: LockedHistory,
  { keepFrom, count }: { keepFrom: number; count: number },
): Promise<{ noteBytes: number }[]> {
  return tx
    .deleteFrom("revision")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("revision as old")
        .select("old.id")
        .where("old.environment_id", "=", id)
        .where("old.number", "<", keepFrom)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("item_version")
                .select("item_version.id")
                .where("item_version.environment_id", "=", id)
                .whereRef("item_version.revision", "=", "old.number"),
            ),
          ),
        )
        .limit(count),
    )
    .returning((eb) => eb.fn<number>("octet_length", ["note"]).as("noteBytes"))
    .execute()
}

export async function setHistory(
  tx: Tx,
  { id }: LockedHistory,
  { historyFrom, freedBytes }: { historyFrom: number; freedBytes: number },
): Promise<void> {
  await tx
    .updateTable("environment")
    .set((eb) => ({ history_from: historyFrom, history_bytes: eb("history_bytes", "-", freedBytes) }))
    .where("id", "=", id)
    .execute()
}
