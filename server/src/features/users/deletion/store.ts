import { expressionBuilder } from "kysely"
import { locksRows } from "../../../db/engine.ts"
import type { Reader, Schema, Tx } from "../../../db/schema.ts"

export interface OwnedCollection {
  id: number
  name: string
  environmentCount: number
  itemCount: number
}

/** The collections in use that the account pays for, the first ones by id. */
export async function paidFor(db: Reader, userId: number, maxRows: number): Promise<OwnedCollection[]> {
  const rows = await inUse(db, userId)
    .select(["collection.id", "collection.name"])
    .orderBy("collection.id")
    .limit(maxRows)
    .execute()
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  // Of these only: all of them together may have a hundred thousand environments.
  const counts = await db
    .selectFrom("environment")
    .select((eb) => [
      "collection_id as id",
      eb.fn.countAll<number>().as("environmentCount"),
      eb.fn.sum<number>("item_count").as("itemCount"),
    ])
    .where("collection_id", "in", ids)
    .where("trashed_at", "is", null)
    .groupBy("collection_id")
    .execute()
  const byId = new Map(counts.map((row) => [row.id, row]))
  return rows.map((row) => {
    const { environmentCount = 0, itemCount = 0 } = byId.get(row.id) ?? {}
    return { ...row, environmentCount: Number(environmentCount), itemCount: Number(itemCount) }
  })
}

export async function countPaidFor(db: Reader, userId: number): Promise<number> {
  const { count } = await inUse(db, userId)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  return count
}

function inUse(db: Reader, userId: number) {
  return db.selectFrom("collection").where("owner_id", "=", userId).where("collection.trashed_at", "is", null)
}

export async function trashedIds(db: Reader, userId: number): Promise<number[]> {
  const rows = await inTrash(db, userId).select("collection.id").orderBy("collection.id").execute()
  return rows.map(({ id }) => id)
}

export async function countTrashed(db: Reader, userId: number): Promise<number> {
  const { count } = await inTrash(db, userId)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  return count
}

function inTrash(db: Reader, userId: number) {
  return db.selectFrom("collection").where("owner_id", "=", userId).where("trashed_at", "is not", null)
}

/** The collections in use that it pays for, and others own too. They can take them over. By id. */
export async function paidForWithOthers(db: Reader, userId: number): Promise<{ id: number; name: string }[]> {
  return inUse(db, userId)
    .where(({ exists }) => exists(otherOwners(userId)))
    .select(["collection.id", "collection.name"])
    .orderBy("collection.id")
    .execute()
}

/** What goes with the account, in use or in the trash. Not what is marked already. */
export async function unmarked(db: Reader, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("collection")
    .select("collection.id")
    .where("collection.owner_id", "=", userId)
    .where((eb) => eb.or([eb("collection.trashed_at", "is", null), eb("collection.trashed_at", ">", 0)]))
    .orderBy("collection.id")
    .execute()
  return rows.map(({ id }) => id)
}

/** Marks those of them that still go with the account as deleted forever, and returns these. */
export async function mark(tx: Tx, userId: number, ids: readonly number[]): Promise<number[]> {
  // Otherwise PostgreSQL would not see an owner who takes one over at this moment.
  if (locksRows(tx)) {
    await tx.selectFrom("collection").select("id").where("id", "in", ids).orderBy("id").forUpdate().execute()
  }
  const rows = await tx
    .updateTable("collection")
    .set({ trashed_at: 0 })
    .where("collection.id", "in", ids)
    .where("collection.owner_id", "=", userId)
    .returning("collection.id")
    .execute()
  return rows.map(({ id }) => id)
}

export async function markedOf(db: Reader, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("collection")
    .select("id")
    .where("owner_id", "=", userId)
    .where("trashed_at", "=", 0)
    .orderBy("id")
    .execute()
  return rows.map(({ id }) => id)
}

function otherOwners(userId: number) {
  return expressionBuilder<Schema, "collection">()
    .selectFrom("collection_member")
    .innerJoin("user", "user.id", "collection_member.user_id")
    .select("collection_member.user_id")
    .whereRef("collection_member.collection_id", "=", "collection.id")
    .where("collection_member.role", "=", "owner")
    .where("collection_member.user_id", "<>", userId)
    .where("user.disabled_at", "is", null)
}

/** The collections that the account is in, and does not pay for. */
export async function membershipsOf(tx: Tx, userId: number, most?: number): Promise<number[]> {
  const query = tx
    .selectFrom("collection_member")
    .innerJoin("collection", "collection.id", "collection_member.collection_id")
    .select("collection.id")
    .where("collection_member.user_id", "=", userId)
    .where("collection.owner_id", "<>", userId)
    .orderBy("collection.id")
  const rows = await (most === undefined ? query : query.limit(most)).execute()
  return rows.map(({ id }) => id)
}

/** Leaves those of them that the account still does not pay for, and returns these. */
export async function leave(tx: Tx, userId: number, ids: readonly number[]): Promise<number[]> {
  // Otherwise PostgreSQL would not see that one passes to the account at this moment.
  if (locksRows(tx)) {
    await tx.selectFrom("collection").select("id").where("id", "in", ids).orderBy("id").forUpdate().execute()
  }
  const others = tx.selectFrom("collection").select("id").where("id", "in", ids).where("owner_id", "<>", userId)
  const rows = await tx
    .deleteFrom("collection_member")
    .where("user_id", "=", userId)
    .where("collection_id", "in", others)
    .returning("collection_id as id")
    .execute()
  return rows.map(({ id }) => id)
}

export interface TeamShare {
  collectionId: number
  team: { id: number; name: string }
}

/** The collections of the teams that go with the account. */
export async function sharesOfTeams(tx: Tx, userId: number, most?: number): Promise<TeamShare[]> {
  const query = tx
    .selectFrom("collection_team")
    .innerJoin("team", "team.id", "collection_team.team_id")
    .select(["collection_team.collection_id as collectionId", "team.id", "team.name"])
    .where("collection_team.team_id", "in", teamsOnlyOf(userId))
    .orderBy("collection_team.team_id")
    .orderBy("collection_team.collection_id")
  const rows = await (most === undefined ? query : query.limit(most)).execute()
  return rows.map(({ collectionId, ...team }) => ({ collectionId, team }))
}

export async function unshare(tx: Tx, { collectionId, team }: TeamShare): Promise<void> {
  await tx
    .deleteFrom("collection_team")
    .where("team_id", "=", team.id)
    .where("collection_id", "=", collectionId)
    .execute()
}

/** So that no other admin leaves one of the account's teams at the same time. */
export async function lockTeams(tx: Tx, userId: number): Promise<void> {
  if (!locksRows(tx)) return
  await tx
    .selectFrom("team")
    .select("team.id")
    .where("team.id", "in", teamsOf(userId))
    .orderBy("team.id")
    .forUpdate()
    .execute()
}

/** Teams without another member are deleted; of the others, those without another admin who can log in get one. */
export async function leaveTeams(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom("team").where("team.id", "in", teamsOnlyOf(userId)).execute()
  const others = tx
    .selectFrom("team_member")
    .where("team_member.team_id", "in", teamsOf(userId))
    .where("team_member.user_id", "<>", userId)
    .groupBy("team_member.team_id")
    .having((eb) => eb(eb.fn.max("team_member.is_admin"), "=", 0))
  const enabled = others.innerJoin("user", "user.id", "team_member.user_id").where("user.disabled_at", "is", null)
  // If all others are disabled, one of them.
  for (const withoutAdmin of [enabled, others]) {
    await tx
      .updateTable("team_member")
      .set({ is_admin: 1 })
      .where(
        "id",
        "in",
        withoutAdmin.select((eb) => eb.fn.min<number>("team_member.id").as("id")),
      )
      .execute()
  }
}

function teamsOf(userId: number) {
  return expressionBuilder<Schema>()
    .selectFrom("team_member as own")
    .select("own.team_id")
    .where("own.user_id", "=", userId)
}

/** The teams without another member. */
function teamsOnlyOf(userId: number) {
  return teamsOf(userId).where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom("team_member as other")
          .select("other.id")
          .whereRef("other.team_id", "=", "own.team_id")
          .where("other.user_id", "<>", userId),
      ),
    ),
  )
}
