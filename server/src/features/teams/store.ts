import type { Level, TeamMember, TeamSummary } from "@envkeep/contract"
import type { TeamCaller, UserCaller } from "../../access/caller.ts"
import { reachTeam } from "../../access/reach.ts"
import { byParents } from "../../bounds/batches.ts"
import { hasRows } from "../../bounds/has-rows.ts"
import { locksRows } from "../../db/engine.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// Every query here has the caller's reach in its WHERE, or takes a locked team, which was found with it.

/** Each may have a thousand members and as many collections, which are counted one by one. */
const teamsPerStatement = 5

/** Of the caller, by name. */
export async function teamRows(snapshot: Reader, caller: UserCaller): Promise<TeamSummary[]> {
  const teams = await snapshot
    .selectFrom("team_member")
    .innerJoin("team", "team.id", "team_member.team_id")
    .select("team.id")
    .where("team_member.user_id", "=", caller.userId)
    .orderBy("team.name")
    .orderBy("team.id")
    .execute()
  const ids = teams.map(({ id }) => id)
  const rows = await byParents(ids, teamsPerStatement, (some) =>
    summaries(snapshot, caller).where("team.id", "in", some).orderBy("team.name").orderBy("team.id").execute(),
  )
  return rows.map(toSummary)
}

export async function teamRow(db: Reader, caller: TeamCaller, id: number): Promise<TeamSummary | undefined> {
  const row = await summaries(db, caller).where("team.id", "=", id).where(reachTeam(caller)).executeTakeFirst()
  return row && toSummary(row)
}

function summaries(db: Reader, { userId }: UserCaller) {
  return db
    .selectFrom("team_member")
    .innerJoin("team", "team.id", "team_member.team_id")
    .select((eb) => [
      "team.id",
      "team.name",
      "team_member.is_admin as isAdmin",
      eb
        .selectFrom("team_member as other")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .whereRef("other.team_id", "=", "team.id")
        .as("memberCount"),
      eb
        .selectFrom("collection_team")
        .innerJoin("collection", "collection.id", "collection_team.collection_id")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .whereRef("collection_team.team_id", "=", "team.id")
        .where("collection.trashed_at", "is", null)
        .as("collectionCount"),
    ])
    .where("team_member.user_id", "=", userId)
}

interface SummaryRow {
  id: number
  name: string
  isAdmin: number
  memberCount: number | null
  collectionCount: number | null
}

function toSummary({ id, name, isAdmin, memberCount, collectionCount }: SummaryRow): TeamSummary {
  const counts = { memberCount: Number(memberCount), collectionCount: Number(collectionCount) }
  return { id, name, isAdmin: isAdmin === 1, ...counts }
}

/** By name. */
export async function memberRows(db: Reader, caller: TeamCaller, teamId: number): Promise<TeamMember[]> {
  const rows = await members(db, teamId)
    .innerJoin("team", "team.id", "team_member.team_id")
    .where(reachTeam(caller))
    .orderBy("user.username")
    .orderBy("user.id")
    .execute()
  return rows.map(toMember)
}

function members(db: Reader, teamId: number) {
  return db
    .selectFrom("team_member")
    .innerJoin("user", "user.id", "team_member.user_id")
    .select(["user.id as userId", "user.username", "user.email", "team_member.is_admin as isAdmin"])
    .where("team_member.team_id", "=", teamId)
}

function toMember({ isAdmin, ...row }: Omit<TeamMember, "isAdmin"> & { isAdmin: number }): TeamMember {
  return { ...row, isAdmin: isAdmin === 1 }
}

/** What the team reaches, by name. */
export function collectionRows(
  db: Reader,
  caller: TeamCaller,
  teamId: number,
): Promise<{ id: number; name: string; role: Level }[]> {
  return db
    .selectFrom("collection_team")
    .innerJoin("team", "team.id", "collection_team.team_id")
    .innerJoin("collection", "collection.id", "collection_team.collection_id")
    .select(["collection.id", "collection.name", "collection_team.role"])
    .where("collection_team.team_id", "=", teamId)
    .where("collection.trashed_at", "is", null)
    .where(reachTeam(caller))
    .orderBy("collection.name")
    .orderBy("collection.id")
    .execute()
}

/** Does not wait for teams that the user joins at the same time, so there can be a few more. */
export async function hasTeams(tx: Tx, { userId }: { userId: number }, count: number): Promise<boolean> {
  const rows = tx.selectFrom("team_member").select("id").where("user_id", "=", userId)
  return hasRows(rows, count)
}

export function insertTeam(tx: Tx, name: string): Promise<{ id: number }> {
  return tx.insertInto("team").values({ name, created_at: Date.now() }).returning("id").executeTakeFirstOrThrow()
}

/** A team that is about to change: locked until the transaction ends. */
export interface LockedTeam {
  id: number
  name: string
}

/** Looked at again once it is locked: the change that was waited for may have taken the caller's rights away. */
export async function lockTeam(tx: Tx, caller: TeamCaller, id: number): Promise<LockedTeam | undefined> {
  const inReach = tx
    .selectFrom("team")
    .select(["team.id", "team.name"])
    .where("team.id", "=", id)
    .where(reachTeam(caller))
  if (locksRows(tx)) await inReach.forUpdate().execute()
  return inReach.executeTakeFirst()
}

/** The same for a user with an invitation. */
export function lockInvited(tx: Tx, id: number): Promise<LockedTeam | undefined> {
  return tx
    .selectFrom("team")
    .select(["team.id", "team.name"])
    .where("team.id", "=", id)
    .$if(locksRows(tx), (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function renameTeam(tx: Tx, { id }: LockedTeam, name: string): Promise<void> {
  await tx.updateTable("team").set({ name }).where("id", "=", id).execute()
}

/** With everything that belongs to it. */
export async function deleteTeam(tx: Tx, { id }: LockedTeam): Promise<void> {
  await tx.deleteFrom("team").where("id", "=", id).execute()
}

export async function collectionIdsOf(tx: Tx, { id }: LockedTeam): Promise<number[]> {
  const rows = await tx
    .selectFrom("collection_team")
    .select("collection_id as collectionId")
    .where("team_id", "=", id)
    .orderBy("collection_id")
    .execute()
  return rows.map(({ collectionId }) => collectionId)
}

export async function unshare(tx: Tx, { id }: LockedTeam, collectionIds: readonly number[]): Promise<void> {
  await tx.deleteFrom("collection_team").where("team_id", "=", id).where("collection_id", "in", collectionIds).execute()
}

export async function findMember(tx: Tx, { id }: LockedTeam, userId: number): Promise<TeamMember | undefined> {
  const row = await members(tx, id).where("team_member.user_id", "=", userId).executeTakeFirst()
  return row && toMember(row)
}

/** For a locked team. */
export async function hasMembers(tx: Tx, { teamId }: { teamId: number }, count: number): Promise<boolean> {
  const rows = tx.selectFrom("team_member").select("id").where("team_id", "=", teamId)
  return hasRows(rows, count)
}

/** For a locked team, or one that the same transaction has inserted. */
export async function insertMember(
  tx: Tx,
  { teamId, userId, isAdmin }: { teamId: number; userId: number; isAdmin: boolean },
): Promise<void> {
  await tx
    .insertInto("team_member")
    .values({ team_id: teamId, user_id: userId, is_admin: isAdmin ? 1 : 0, created_at: Date.now() })
    .execute()
}

export async function setAdmin(
  tx: Tx,
  { id }: LockedTeam,
  { userId, isAdmin }: { userId: number; isAdmin: boolean },
): Promise<void> {
  await tx
    .updateTable("team_member")
    .set({ is_admin: isAdmin ? 1 : 0 })
    .where("team_id", "=", id)
    .where("user_id", "=", userId)
    .execute()
}

/** However the user became one: a claim of a sign-in provider has not given the membership that may come next. */
export async function deleteMember(tx: Tx, { id }: LockedTeam, userId: number): Promise<void> {
  await tx.deleteFrom("team_member").where("team_id", "=", id).where("user_id", "=", userId).execute()
  await tx
    .deleteFrom("identity_team")
    .where("team_id", "=", id)
    .where("identity_id", "in", (eb) => eb.selectFrom("identity").select("id").where("user_id", "=", userId))
    .execute()
}

/** A disabled account cannot look after a team. */
export async function hasOtherAdmin(tx: Tx, { id }: LockedTeam, userId: number): Promise<boolean> {
  const row = await tx
    .selectFrom("team_member")
    .innerJoin("user", "user.id", "team_member.user_id")
    .select("team_member.id")
    .where("team_member.team_id", "=", id)
    .where("team_member.is_admin", "=", 1)
    .where("team_member.user_id", "<>", userId)
    .where("user.disabled_at", "is", null)
    .executeTakeFirst()
  return row !== undefined
}
