import type { Level } from "@envkeep/contract"
import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { TeamCaller, UserCaller } from "../../access/caller.ts"
import { reach, reachTeam } from "../../access/reach.ts"
import type { Reader, Schema, Tx } from "../../db/schema.ts"

// An invitation is found by the hash of its secret, which stands for reach, or as one of a collection or team that was
// found to be in the caller's reach by the same transaction.

/** What an invitation is to: a collection, a team, or, with neither, an account. */
export interface Target {
  collectionId?: number
  teamId?: number
}

function isTo({ collectionId, teamId }: Target): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "invitation">()
  if (collectionId !== undefined) return eb("invitation.collection_id", "=", collectionId)
  if (teamId !== undefined) return eb("invitation.team_id", "=", teamId)
  return eb.and([eb("invitation.collection_id", "is", null), eb("invitation.team_id", "is", null)])
}

function isOpen(now: number): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "invitation">()
  return eb.and([
    eb("invitation.revoked_at", "is", null),
    eb("invitation.expires_at", ">", now),
    eb("invitation.uses", "<", eb.ref("invitation.max_uses")),
  ])
}

export interface InvitationRow {
  id: number
  collectionId: number | null
  collectionName: string | null
  teamId: number | null
  teamName: string | null
  role: Level | null
  invitedById: number
  invitedBy: string
  createdAt: number
  expiresAt: number
  revokedAt: number | null
  maxUses: number
  uses: number
}

function invitations(db: Reader) {
  return db
    .selectFrom("invitation")
    .innerJoin("user", "user.id", "invitation.invited_by_id")
    .leftJoin("collection", "collection.id", "invitation.collection_id")
    .leftJoin("team", "team.id", "invitation.team_id")
    .select([
      "invitation.id",
      "invitation.collection_id as collectionId",
      "collection.name as collectionName",
      "invitation.team_id as teamId",
      "team.name as teamName",
      "invitation.role",
      "invitation.invited_by_id as invitedById",
      "user.username as invitedBy",
      "invitation.created_at as createdAt",
      "invitation.expires_at as expiresAt",
      "invitation.revoked_at as revokedAt",
      "invitation.max_uses as maxUses",
      "invitation.uses",
    ])
}

export function findInvitation(db: Reader, secretHash: string): Promise<InvitationRow | undefined> {
  return invitations(db).where("invitation.secret_hash", "=", secretHash).executeTakeFirst()
}

const shownRows = 200

/** Newest first. */
export function invitationRows(db: Reader, to: Target): Promise<InvitationRow[]> {
  return invitations(db).where(isTo(to)).orderBy("invitation.id", "desc").limit(shownRows).execute()
}

/** Whether the inviter could still make this invitation. */
export async function mayStillInvite(db: Reader, row: InvitationRow): Promise<boolean> {
  const { collectionId, teamId, invitedById: userId } = row
  const inviter = db
    .selectFrom("user")
    .select("user.id")
    .where("user.id", "=", userId)
    .where("user.disabled_at", "is", null)
  if (collectionId !== null) {
    const level = row.role === "owner" ? "owner" : "maintainer"
    const found = await inviter
      .innerJoin("collection", (join) => join.on("collection.id", "=", collectionId))
      .where(reach({ userId, level, token: undefined }))
      .executeTakeFirst()
    return found !== undefined
  }
  if (teamId !== null) {
    const found = await inviter
      .innerJoin("team", (join) => join.on("team.id", "=", teamId))
      .where(reachTeam({ userId, team: "admin" }))
      .executeTakeFirst()
    return found !== undefined
  }
  return (await inviter.where("user.is_admin", "=", 1).executeTakeFirst()) !== undefined
}

export function teamInReach(
  db: Reader,
  caller: TeamCaller,
  id: number,
): Promise<{ id: number; name: string } | undefined> {
  return db
    .selectFrom("team")
    .select(["team.id", "team.name"])
    .where("team.id", "=", id)
    .where(reachTeam(caller))
    .executeTakeFirst()
}

/** Does not wait for invitations that are being made at the same time, so there can be a few more. */
export async function hasOpen(tx: Tx, to: Target, { now, count }: { now: number; count: number }): Promise<boolean> {
  const last = await tx
    .selectFrom("invitation")
    .select("id")
    .where(isTo(to))
    .where(isOpen(now))
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return last !== undefined
}

export async function insertInvitation(
  tx: Tx,
  caller: UserCaller,
  row: {
    to: Target
    role: Level | null
    secretHash: string
    maxUses: number
    createdAt: number
    expiresAt: number
  },
): Promise<InvitationRow> {
  const { id } = await tx
    .insertInto("invitation")
    .values({
      secret_hash: row.secretHash,
      collection_id: row.to.collectionId ?? null,
      team_id: row.to.teamId ?? null,
      role: row.role,
      invited_by_id: caller.userId,
      created_at: row.createdAt,
      expires_at: row.expiresAt,
      max_uses: row.maxUses,
      uses: 0,
    })
    .returning("id")
    .executeTakeFirstOrThrow()
  return invitations(tx).where("invitation.id", "=", id).executeTakeFirstOrThrow()
}

export async function roleOf(tx: Tx, id: number, to: Target): Promise<Level | null> {
  const row = await tx
    .selectFrom("invitation")
    .select("role")
    .where("invitation.id", "=", id)
    .where(isTo(to))
    .executeTakeFirst()
  return row?.role ?? null
}

/** Undefined if it is not one of these. */
export async function revoke(tx: Tx, id: number, to: Target): Promise<{ wasRevoked: boolean } | undefined> {
  const revoked = await tx
    .updateTable("invitation")
    .set({ revoked_at: Date.now() })
    .where("invitation.id", "=", id)
    .where(isTo(to))
    .where("revoked_at", "is", null)
    .returning("id")
    .executeTakeFirst()
  if (revoked !== undefined) return { wasRevoked: false }
  const known = await tx
    .selectFrom("invitation")
    .select("id")
    .where("invitation.id", "=", id)
    .where(isTo(to))
    .executeTakeFirst()
  return known && { wasRevoked: true }
}

/** One statement, so that it cannot be used more often than it may be. */
export function useOnce(tx: Tx, id: number, now: number): Promise<{ id: number } | undefined> {
  return tx
    .updateTable("invitation")
    .set((eb) => ({ uses: eb("uses", "+", 1) }))
    .where("id", "=", id)
    .where(isOpen(now))
    .returning("id")
    .executeTakeFirst()
}

/**
 * With one new invitation. Usually there is one to delete; an older version has kept any number. More than can be open, so
 * that there are closed ones among them.
 */
const rowsPerTrim = 500

/** Deletes what is neither among the newest to the target nor open. */
export async function deleteOldClosed(tx: Tx, to: Target, { now, kept }: { now: number; kept: number }): Promise<void> {
  await tx
    .deleteFrom("invitation")
    .where("invitation.id", "in", olderThanNewest(kept, isTo(to)))
    .where(({ not }) => not(isOpen(now)))
    .execute()
}

/** Deletes what is not among the newest that the caller has made. */
export async function deleteOldOf(tx: Tx, { userId }: UserCaller, { kept }: { kept: number }): Promise<void> {
  const isByCaller = expressionBuilder<Schema, "invitation">()("invitation.invited_by_id", "=", userId)
  await tx.deleteFrom("invitation").where("invitation.id", "in", olderThanNewest(kept, isByCaller)).execute()
}

function olderThanNewest(kept: number, isOne: Expression<SqlBool>) {
  return expressionBuilder<Schema, never>()
    .selectFrom("invitation")
    .select("invitation.id")
    .where(isOne)
    .orderBy("invitation.id", "desc")
    .limit(rowsPerTrim)
    .offset(kept)
}
