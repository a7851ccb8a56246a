import { deleteExpired } from "../../bounds/expiring-rows.ts"
import { hasRows } from "../../bounds/has-rows.ts"
import { locksRows } from "../../db/engine.ts"
import type { Reader, Schema, Tx } from "../../db/schema.ts"

// Passkeys belong to a user: every query is by the user's id, or by the credential id that an authenticator has sent. A
// challenge is found by its hash, which stands for reach.

export interface PasskeyRow {
  id: number
  name: string
  credentialId: string
  userHandle: string
  host: string
  transports: string
  isBackedUp: number
  createdAt: number
  lastUsedAt: number | null
}

const columns = [
  "passkey.id",
  "passkey.name",
  "passkey.credential_id as credentialId",
  "passkey.user_handle as userHandle",
  "passkey.host",
  "passkey.transports",
  "passkey.is_backed_up as isBackedUp",
  "passkey.created_at as createdAt",
  "passkey.last_used_at as lastUsedAt",
] as const

/** The newest first. */
export function passkeysOf(db: Reader, userId: number): Promise<PasskeyRow[]> {
  return db.selectFrom("passkey").select(columns).where("user_id", "=", userId).orderBy("id", "desc").execute()
}

export async function countPasskeys(db: Reader, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom("passkey")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow()
  return count
}

/** What an authenticator shows to say whose passkey it is. */
export function namesOf(db: Reader, userId: number): Promise<{ username: string; email: string } | undefined> {
  return db.selectFrom("user").select(["username", "email"]).where("id", "=", userId).executeTakeFirst()
}

/** Makes those who change the factors of one account take turns, so that its limit holds, and the last factor is known. */
export async function lockUser(tx: Tx, userId: number): Promise<void> {
  if (!locksRows(tx)) return
  await tx.selectFrom("user").select("id").where("id", "=", userId).forUpdate().execute()
}

interface NewPasskey {
  name: string
  credentialId: string
  publicKey: string
  userHandle: string
  host: string
  counter: number
  transports: string
  isMultiDevice: boolean
  isBackedUp: boolean
  aaguid: string
  now: number
}

export function insertPasskey(tx: Tx, userId: number, passkey: NewPasskey): Promise<PasskeyRow> {
  return tx
    .insertInto("passkey")
    .values({
      user_id: userId,
      name: passkey.name,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      user_handle: passkey.userHandle,
      host: passkey.host,
      counter: passkey.counter,
      transports: passkey.transports,
      is_multi_device: passkey.isMultiDevice ? 1 : 0,
      is_backed_up: passkey.isBackedUp ? 1 : 0,
      aaguid: passkey.aaguid,
      created_at: passkey.now,
      last_used_at: null,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export function renamePasskey(
  tx: Tx,
  userId: number,
  { id, name }: { id: number; name: string },
): Promise<PasskeyRow | undefined> {
  return tx
    .updateTable("passkey")
    .set({ name })
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .returning(columns)
    .executeTakeFirst()
}

export function deletePasskey(tx: Tx, userId: number, id: number): Promise<{ name: string } | undefined> {
  return tx
    .deleteFrom("passkey")
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst()
}

export interface StoredPasskey {
  id: number
  name: string
  credentialId: string
  publicKey: string
  userHandle: string
  host: string
  counter: number
  userId: number
  username: string
}

/** The passkey with this credential id, of any user or of one. */
export function passkeyByCredential(
  db: Reader,
  credentialId: string,
  userId?: number,
): Promise<StoredPasskey | undefined> {
  return db
    .selectFrom("passkey")
    .innerJoin("user", "user.id", "passkey.user_id")
    .select([
      "passkey.id",
      "passkey.name",
      "passkey.credential_id as credentialId",
      "passkey.public_key as publicKey",
      "passkey.user_handle as userHandle",
      "passkey.host",
      "passkey.counter",
      "passkey.user_id as userId",
      "user.username",
    ])
    .where("passkey.credential_id", "=", credentialId)
    .$if(userId !== undefined, (query) => query.where("passkey.user_id", "=", userId ?? 0))
    .executeTakeFirst()
}

interface Use {
  userId: number
  counter: number
  isMultiDevice: boolean
  isBackedUp: boolean
  now: number
}

/**
 * Writes down that a passkey is used, if it is still there and its counter has not been seen yet. One statement, so that
 * of two answers with the same count only one is taken. Authenticators that do not count always send zero.
 */
export async function usePasskey(tx: Tx, id: number, use: Use): Promise<boolean> {
  const used = await tx
    .updateTable("passkey")
    .set({
      counter: use.counter,
      is_multi_device: use.isMultiDevice ? 1 : 0,
      is_backed_up: use.isBackedUp ? 1 : 0,
      last_used_at: use.now,
    })
    .where("id", "=", id)
    .where("user_id", "=", use.userId)
    .where((eb) => (use.counter === 0 ? eb("passkey.counter", "=", 0) : eb("passkey.counter", "<", use.counter)))
    .returning("id")
    .executeTakeFirst()
  return used !== undefined
}

export type Purpose = Schema["passkey_challenge"]["purpose"]

interface NewChallenge {
  challengeHash: string
  purpose: Purpose
  userId: number | null
  userHandle: string | null
  expiresAt: number
}

export async function insertChallenge(tx: Tx, challenge: NewChallenge): Promise<void> {
  await tx
    .insertInto("passkey_challenge")
    .values({
      challenge_hash: challenge.challengeHash,
      purpose: challenge.purpose,
      user_id: challenge.userId,
      user_handle: challenge.userHandle,
      expires_at: challenge.expiresAt,
    })
    .execute()
}

/** Whether so many guests' are waiting. Those that have expired must be deleted before. */
export function hasGuestChallenges(tx: Tx, max: number): Promise<boolean> {
  return hasRows(tx.selectFrom("passkey_challenge").select("id").where("user_id", "is", null), max)
}

export interface TakenChallenge {
  userHandle: string | null
}

/** Deletes the challenge and returns it, so that it is taken once. */
export function takeChallenge(
  tx: Tx,
  { challengeHash, purpose, userId, now }: Omit<NewChallenge, "userHandle" | "expiresAt"> & { now: number },
): Promise<TakenChallenge | undefined> {
  return tx
    .deleteFrom("passkey_challenge")
    .where("challenge_hash", "=", challengeHash)
    .where("purpose", "=", purpose)
    .where("user_id", userId === null ? "is" : "=", userId)
    .where("expires_at", ">", now)
    .returning("user_handle as userHandle")
    .executeTakeFirst()
}

export function deleteExpiredChallenges(tx: Tx, now: number): Promise<void> {
  return deleteExpired(tx, "passkey_challenge", now)
}
