import type { CollectionTeam, Level } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { isAskedByOwner, reach, reachTeam } from "../../access/reach.ts"
import { hasRows } from "../../bounds/has-rows.ts"
import { locksRows } from "../../db/engine.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// Every query here has the caller's reach in its WHERE, or takes a locked collection, which was found with it.

/** A collection whose members are about to change: locked until the transaction ends. */
export interface SharedCollection {
  id: number
  /** Who pays. */
  ownerId: number
  /** Whether the caller is one of its owners. */
  isOwner: boolean
}

/** Looked at again once it is locked: the change that was waited for may have taken the caller's role away. */
export async function lockMembers(tx: Tx, caller: Member, id: number): Promise<SharedCollection | undefined> {
  const inReach = tx.selectFrom("collection").where("collection.id", "=", id).where(reach(caller))
  if (locksRows(tx)) await inReach.select("collection.id").forNoKeyUpdate().execute()
  const row = await inReach
    .select((eb) => [
      "collection.id",
      "collection.owner_id as ownerId",
      eb.case().when(reach(caller, "owner")).then(1).else(0).end().as("isOwner"),
    ])
    .executeTakeFirst()
  return row && { ...row, isOwner: row.isOwner === 1 }
}

/** The same for a user with an invitation. */
export async function lockInvited(tx: Tx, id: number): Promise<SharedCollection | undefined> {
  const row = await tx
    .selectFrom("collection")
    .select(["collection.id", "collection.owner_id as ownerId"])
    .where("collection.id", "=", id)
    .where("collection.trashed_at", "is", null)
    .$if(locksRows(tx), (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  return row && { ...row, isOwner: false }
}

/**
 * Waits for writers to the collection, who note who pays when they begin. Locks in the same order as they do: environments,
 * a base before what inherits from it, then the collection. After that no environment is added, but one may have been until
 * then.
 */
export async function lockContents(tx: Tx, caller: Member, id: number): Promise<void> {
  if (!locksRows(tx)) return
  const environments = tx
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .leftJoin("environment as first", "first.id", "environment.base_id")
    .leftJoin("environment as second", "second.id", "first.base_id")
    .leftJoin("environment as third", "third.id", "second.base_id")
    .select("environment.id")
    .where("environment.collection_id", "=", id)
    .where(reach(caller))
    // By how many bases each has above it: `inheritanceLevels` at most.
    .orderBy((eb) => eb("environment.base_id", "is not", null))
    .orderBy((eb) => eb("first.base_id", "is not", null))
    .orderBy((eb) => eb("second.base_id", "is not", null))
    .orderBy((eb) => eb("third.base_id", "is not", null))
    .orderBy("environment.id")
    .forUpdate("environment")
  await environments.execute()
  await tx
    .selectFrom("collection")
    .select("collection.id")
    .where("collection.id", "=", id)
    .where(reach(caller))
    .forUpdate()
    .execute()
  await environments.execute()
}

export interface MemberRow {
  userId: number
  username: string
  email: string
  role: Level
  isPayer: boolean
  isAskedToPay: boolean
  isDisabled: boolean
}

/** By name. */
export async function memberRows(
  db: Reader,
  caller: Member,
  collectionId: number,
): Promise<Omit<MemberRow, "isDisabled">[]> {
  const rows = await members(db, collectionId)
    .where(reach(caller))
    .orderBy("user.username")
    .orderBy("user.id")
    .execute()
  return rows.map((row) => {
    const { isDisabled: _, ...member } = toMember(row)
    return member
  })
}

export async function findMember(db: Reader, { id }: { id: number }, userId: number): Promise<MemberRow | undefined> {
  const row = await members(db, id).where("collection_member.user_id", "=", userId).executeTakeFirst()
  return row && toMember(row)
}

interface StoredMember extends Pick<MemberRow, "userId" | "username" | "email" | "role"> {
  disabledAt: number | null
  isAsked: number
  ownerId: number
}

function toMember({ disabledAt, isAsked, ownerId, ...member }: StoredMember): MemberRow {
  return {
    ...member,
    isPayer: member.userId === ownerId,
    isAskedToPay: isAsked === 1,
    isDisabled: disabledAt !== null,
  }
}

function members(db: Reader, collectionId: number) {
  return db
    .selectFrom("collection_member")
    .innerJoin("collection", "collection.id", "collection_member.collection_id")
    .innerJoin("user", "user.id", "collection_member.user_id")
    .select((eb) => [
      "user.id as userId",
      "user.username",
      "user.email",
      "user.disabled_at as disabledAt",
      "collection_member.role",
      eb.case().when(isAskedByOwner()).then(1).else(0).end().as("isAsked"),
      "collection.owner_id as ownerId",
    ])
    .where("collection_member.collection_id", "=", collectionId)
}

/** For a locked collection. */
export async function hasMembers(tx: Tx, { collectionId }: { collectionId: number }, count: number): Promise<boolean> {
  const rows = tx.selectFrom("collection_member").select("id").where("collection_id", "=", collectionId)
  return hasRows(rows, count)
}

/** For a locked collection. */
export async function insertMember(
  tx: Tx,
  { collectionId, userId, role }: { collectionId: number; userId: number; role: Level },
): Promise<void> {
  await tx
    .insertInto("collection_member")
    .values({ collection_id: collectionId, user_id: userId, role, created_at: Date.now() })
    .execute()
}

/** Of a user with a role of their own; of others, nothing is changed. */
export async function setRole(
  tx: Tx,
  { id }: SharedCollection,
  { userId, role }: { userId: number; role: Level },
): Promise<void> {
  await tx
    .updateTable("collection_member")
    .set({ role })
    .where("collection_id", "=", id)
    .where("user_id", "=", userId)
    .execute()
}

export async function deleteMember(tx: Tx, { id }: SharedCollection, userId: number): Promise<void> {
  await tx.deleteFrom("collection_member").where("collection_id", "=", id).where("user_id", "=", userId).execute()
}

/** Beside the one who pays. A disabled account cannot look after a collection. */
export function hasOtherOwner(tx: Tx, { id, ownerId }: SharedCollection): Promise<boolean> {
  const owners = tx
    .selectFrom("collection_member")
    .innerJoin("user", "user.id", "collection_member.user_id")
    .select("collection_member.id")
    .where("collection_member.collection_id", "=", id)
    .where("collection_member.role", "=", "owner")
    .where("collection_member.user_id", "<>", ownerId)
    .where("user.disabled_at", "is", null)
  return hasRows(owners, 1)
}

/** By name. */
export async function teamRows(db: Reader, caller: Member, collectionId: number): Promise<CollectionTeam[]> {
  const rows = await teams(db, caller, collectionId)
    .innerJoin("collection", "collection.id", "collection_team.collection_id")
    .where(reach(caller))
    .orderBy("team.name")
    .orderBy("team.id")
    .execute()
  return rows.map(toTeam)
}

export async function shownTeam(
  tx: Tx,
  caller: Member,
  { id }: SharedCollection,
  teamId: number,
): Promise<CollectionTeam> {
  const row = await teams(tx, caller, id).where("collection_team.team_id", "=", teamId).executeTakeFirstOrThrow()
  return toTeam(row)
}

function teams(db: Reader, { userId }: Member, collectionId: number) {
  return db
    .selectFrom("collection_team")
    .innerJoin("team", "team.id", "collection_team.team_id")
    .select((eb) => [
      "team.id as teamId",
      "team.name",
      "collection_team.role",
      eb
        .selectFrom("team_member")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .whereRef("team_member.team_id", "=", "team.id")
        .as("memberCount"),
      eb
        .case()
        .when(reachTeam({ userId, team: "member" }))
        .then(1)
        .else(0)
        .end()
        .as("isMine"),
    ])
    .where("collection_team.collection_id", "=", collectionId)
}

function toTeam({
  memberCount,
  isMine,
  ...row
}: Pick<CollectionTeam, "teamId" | "name" | "role"> & { memberCount: number | null; isMine: number }): CollectionTeam {
  return { ...row, memberCount: Number(memberCount), isMine: isMine === 1 }
}

/** A team that the caller is in. */
export function ownTeam(tx: Tx, { userId }: Member, id: number): Promise<{ id: number; name: string } | undefined> {
  return tx
    .selectFrom("team")
    .select(["team.id", "team.name"])
    .where("team.id", "=", id)
    .where(reachTeam({ userId, team: "member" }))
    .executeTakeFirst()
}

export function findTeam(
  tx: Tx,
  { id }: SharedCollection,
  teamId: number,
): Promise<{ name: string; role: Level } | undefined> {
  return tx
    .selectFrom("collection_team")
    .innerJoin("team", "team.id", "collection_team.team_id")
    .select(["team.name", "collection_team.role"])
    .where("collection_team.collection_id", "=", id)
    .where("collection_team.team_id", "=", teamId)
    .executeTakeFirst()
}

export async function hasTeams(tx: Tx, { id }: SharedCollection, count: number): Promise<boolean> {
  const rows = tx.selectFrom("collection_team").select("id").where("collection_id", "=", id)
  return hasRows(rows, count)
}

/** Of a team. Does not wait for collections that it is added to at the same time, so there can be a few more. */
export async function hasCollections(tx: Tx, { id }: { id: number }, count: number): Promise<boolean> {
  const rows = tx.selectFrom("collection_team").select("id").where("team_id", "=", id)
  return hasRows(rows, count)
}

export async function insertTeam(
  tx: Tx,
  { id }: SharedCollection,
  { teamId, role }: { teamId: number; role: Level },
): Promise<void> {
  await tx
    .insertInto("collection_team")
    .values({ collection_id: id, team_id: teamId, role, created_at: Date.now() })
    .execute()
}

export async function setTeamRole(
  tx: Tx,
  { id }: SharedCollection,
  { teamId, role }: { teamId: number; role: Level },
): Promise<void> {
  await tx
    .updateTable("collection_team")
    .set({ role })
    .where("collection_id", "=", id)
    .where("team_id", "=", teamId)
    .execute()
}

export async function deleteTeam(tx: Tx, { id }: SharedCollection, teamId: number): Promise<void> {
  await tx.deleteFrom("collection_team").where("collection_id", "=", id).where("team_id", "=", teamId).execute()
}
