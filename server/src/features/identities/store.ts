import type { SignInProvider } from "@envkeep/contract"
import { deleteExpired } from "../../bounds/expiring-rows.ts"
import { hasRows } from "../../bounds/has-rows.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// An identity is found by its issuer and subject, which the provider has proven, or by the user whom it belongs to. A visit is
// found by the hash of the browser's token.

export interface IdentityRow {
  id: number
  userId: number
}

export function findIdentity(
  db: Reader,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<IdentityRow | undefined> {
  return db
    .selectFrom("identity")
    .select(["id", "user_id as userId"])
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst()
}

export interface ListedIdentity {
  id: number
  issuer: string
  email: string
  createdAt: number
  lastUsedAt: number | null
}

export function identitiesOf(db: Reader, userId: number): Promise<ListedIdentity[]> {
  return db
    .selectFrom("identity")
    .select(["id", "issuer", "email", "created_at as createdAt", "last_used_at as lastUsedAt"])
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute()
}

export function insertIdentity(
  tx: Tx,
  userId: number,
  identity: { issuer: string; subject: string; email: string; lastUsedAt: number | null },
): Promise<{ id: number }> {
  const { issuer, subject, email, lastUsedAt } = identity
  return tx
    .insertInto("identity")
    .values({ user_id: userId, issuer, subject, email, created_at: Date.now(), last_used_at: lastUsedAt })
    .returning("id")
    .executeTakeFirstOrThrow()
}

export async function setLastUsed(tx: Tx, identityId: number, now: number): Promise<void> {
  await tx.updateTable("identity").set({ last_used_at: now }).where("id", "=", identityId).execute()
}

export async function deleteIdentity(tx: Tx, userId: number, id: number): Promise<void> {
  await tx.deleteFrom("identity").where("user_id", "=", userId).where("id", "=", id).execute()
}

/** The teams that claims of the identity have named. */
export async function givenTeamIds(tx: Tx, { id, userId }: IdentityRow): Promise<number[]> {
  const rows = await tx
    .selectFrom("identity_team")
    .innerJoin("identity", "identity.id", "identity_team.identity_id")
    .select("team_id as teamId")
    .where("identity.id", "=", id)
    .where("identity.user_id", "=", userId)
    .orderBy("team_id")
    .execute()
  return rows.map(({ teamId }) => teamId)
}

export async function insertGivenTeam(tx: Tx, identityId: number, teamId: number): Promise<void> {
  await tx
    .insertInto("identity_team")
    .values({ identity_id: identityId, team_id: teamId })
    .onConflict((conflict) => conflict.columns(["identity_id", "team_id"]).doNothing())
    .execute()
}

export async function deleteGivenTeam(tx: Tx, identityId: number, teamId: number): Promise<void> {
  await tx.deleteFrom("identity_team").where("identity_id", "=", identityId).where("team_id", "=", teamId).execute()
}

export interface Visit {
  purpose: "sign-in" | "connect" | "confirm"
  /** The session that it is for. Null for a sign-in. */
  sessionId: number | null
  returnTo: string
  createdAt: number
}

interface NewVisit extends Visit {
  tokenHash: string
  provider: SignInProvider["name"]
  expiresAt: number
}

export async function insertVisit(tx: Tx, visit: NewVisit): Promise<void> {
  await tx
    .insertInto("provider_visit")
    .values({
      token_hash: visit.tokenHash,
      provider: visit.provider,
      purpose: visit.purpose,
      session_id: visit.sessionId,
      return_to: visit.returnTo,
      created_at: visit.createdAt,
      expires_at: visit.expiresAt,
    })
    .execute()
}

/** Whether so many guests' are waiting. Those that have expired must be deleted before. */
export function hasGuestVisits(tx: Tx, max: number): Promise<boolean> {
  return hasRows(tx.selectFrom("provider_visit").select("id").where("session_id", "is", null), max)
}

export async function deleteVisitOf(tx: Tx, sessionId: number): Promise<void> {
  await tx.deleteFrom("provider_visit").where("session_id", "=", sessionId).execute()
}

interface VisitKey {
  tokenHash: string
  provider: SignInProvider["name"]
  now: number
}

export function findVisit(
  db: Reader,
  { tokenHash, provider, now }: VisitKey,
): Promise<Pick<Visit, "purpose"> | undefined> {
  return db
    .selectFrom("provider_visit")
    .select("purpose")
    .where("token_hash", "=", tokenHash)
    .where("provider", "=", provider)
    .where("expires_at", ">", now)
    .executeTakeFirst()
}

/** Removes the visit, so that a browser comes back from it once. */
export function takeVisit(tx: Tx, { tokenHash, provider, now }: VisitKey): Promise<Visit | undefined> {
  return tx
    .deleteFrom("provider_visit")
    .where("token_hash", "=", tokenHash)
    .where("provider", "=", provider)
    .where("expires_at", ">", now)
    .returning(["purpose", "session_id as sessionId", "return_to as returnTo", "created_at as createdAt"])
    .executeTakeFirst()
}

export function deleteExpiredVisits(tx: Tx, now: number): Promise<void> {
  return deleteExpired(tx, "provider_visit", now)
}
