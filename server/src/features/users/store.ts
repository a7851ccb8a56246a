import type { SelectQueryBuilder } from "kysely"
import { isShared } from "../../access/reach.ts"
import { deleteInBatches } from "../../bounds/batches.ts"
import { locksRows } from "../../db/engine.ts"
import { prepared } from "../../db/prepared.ts"
import type { Reader, Schema, Tx } from "../../db/schema.ts"

// Users own their rows: every query is by the user's id, by the unique e-mail or by a token's hash.

export interface UserRow {
  id: number
  username: string
  email: string
  isAdmin: number
  disabledAt: number | null
}

const rowsPerDelete = 1_000

const columns = [
  "user.id",
  "user.username",
  "user.email",
  "user.is_admin as isAdmin",
  "user.disabled_at as disabledAt",
] as const

export function insertUser(
  tx: Tx,
  {
    email,
    emailKey,
    ...user
  }: { username: string; email: string; emailKey: string; passwordHash: string; isAdmin: boolean },
): Promise<UserRow> {
  return tx
    .insertInto("user")
    .values({
      username: user.username,
      email,
      email_key: emailKey,
      password_hash: user.passwordHash,
      is_admin: user.isAdmin ? 1 : 0,
      created_at: Date.now(),
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export function userById(db: Reader, userId: number): Promise<UserRow | undefined> {
  return db.selectFrom("user").select(columns).where("id", "=", userId).executeTakeFirst()
}

export interface StoredUser extends UserRow {
  passwordHash: string
}

export function userByEmail(db: Reader, emailKey: string): Promise<StoredUser | undefined> {
  return db
    .selectFrom("user")
    .select([...columns, "password_hash as passwordHash"])
    .where("email_key", "=", emailKey)
    .executeTakeFirst()
}

export function updateUser(
  tx: Tx,
  userId: number,
  { username, email, emailKey }: { username: string; email: string; emailKey: string },
): Promise<UserRow | undefined> {
  return tx
    .updateTable("user")
    .set({ username, email, email_key: emailKey })
    .where("id", "=", userId)
    .returning(columns)
    .executeTakeFirst()
}

export async function passwordHashOf(db: Reader, userId: number): Promise<string | undefined> {
  const row = await db.selectFrom("user").select("password_hash").where("id", "=", userId).executeTakeFirst()
  return row?.password_hash
}

/** Replaces a hash only if it is still the one that was checked: it may have been changed in between. */
export function replacePasswordHash(
  tx: Tx,
  userId: number,
  { checkedHash, passwordHash }: { checkedHash: string; passwordHash: string },
): Promise<{ id: number } | undefined> {
  return tx
    .updateTable("user")
    .set({ password_hash: passwordHash })
    .where("id", "=", userId)
    .where("password_hash", "=", checkedHash)
    .returning("id")
    .executeTakeFirst()
}

/**
 * Locks the user if the account is not disabled and the hash is still the one that was checked: neither can change before
 * the commit.
 */
export function lockUser(tx: Tx, userId: number, checkedHash: string): Promise<{ id: number } | undefined> {
  return tx
    .selectFrom("user")
    .select("id")
    .where("id", "=", userId)
    .where("password_hash", "=", checkedHash)
    .where("disabled_at", "is", null)
    .$if(locksRows(tx), (query) => query.forUpdate())
    .executeTakeFirst()
}

/** Locks the user if the account is not disabled: it cannot be disabled or deleted before the commit. */
export function lockEnabledUser(tx: Tx, userId: number): Promise<{ id: number } | undefined> {
  return tx
    .selectFrom("user")
    .select("id")
    .where("id", "=", userId)
    .where("disabled_at", "is", null)
    .$if(locksRows(tx), (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function insertSession(
  tx: Tx,
  userId: number,
  { tokenHash, now, hasProviderFactor = false, ...from }: NewSession,
): Promise<void> {
  const times = { created_at: now, seen_at: now, confirmed_at: now }
  await tx
    .insertInto("session")
    .values({
      user_id: userId,
      token_hash: tokenHash,
      has_provider_factor: hasProviderFactor ? 1 : 0,
      ...times,
      ...from,
    })
    .execute()
}

interface NewSession {
  tokenHash: string
  now: number
  hasProviderFactor?: boolean
  address: string
  client: string
}

/** How many were confirmed: none if the session has ended. */
export async function confirmSession(tx: Tx, userId: number, sessionId: number, now: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("session")
    .set({ confirmed_at: now })
    .where("user_id", "=", userId)
    .where("id", "=", sessionId)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export interface SessionRow {
  sessionId: number
  userId: number
  isAdmin: number
  startedAt: number
  seenAt: number
  confirmedAt: number
  hasProviderFactor: number
  /** Whether its user has a second factor. */
  hasFactor: unknown
}

/** The session of a token, if it was started after `startedAfter` and used after `seenAfter`. */
export async function liveSession(
  db: Reader,
  tokenHash: string,
  expiry: { startedAfter: number; seenAfter: number },
): Promise<SessionRow | undefined> {
  const [row] = await liveSessions(db, { tokenHash, ...expiry }, "")
  return row
}

interface LiveSession {
  tokenHash: string
  startedAfter: number
  seenAfter: number
}

const liveSessions = prepared((db: Reader, { tokenHash, startedAfter, seenAfter }: LiveSession) =>
  db
    .selectFrom("session")
    .innerJoin("user", "user.id", "session.user_id")
    .select([
      "session.id as sessionId",
      "session.user_id as userId",
      "user.is_admin as isAdmin",
      "session.created_at as startedAt",
      "session.seen_at as seenAt",
      "session.confirmed_at as confirmedAt",
      "session.has_provider_factor as hasProviderFactor",
    ])
    .select(({ exists, or, selectFrom }) =>
      or([
        exists(
          selectFrom("totp")
            .select("totp.id")
            .whereRef("totp.user_id", "=", "session.user_id")
            .where("totp.confirmed_at", "is not", null),
        ),
        exists(selectFrom("passkey").select("passkey.id").whereRef("passkey.user_id", "=", "session.user_id")),
      ]).as("hasFactor"),
    )
    .where("session.token_hash", "=", tokenHash)
    .where("session.created_at", ">", startedAfter)
    .where("session.seen_at", ">", seenAfter),
)

export interface ListedSession {
  id: number
  client: string
  address: string
  startedAt: number
  seenAt: number
}

/** Those that have not ended, the last used first. */
export function sessionsOf(
  db: Reader,
  userId: number,
  { startedAfter, seenAfter }: { startedAfter: number; seenAfter: number },
): Promise<ListedSession[]> {
  return db
    .selectFrom("session")
    .select(["id", "client", "address", "created_at as startedAt", "seen_at as seenAt"])
    .where("user_id", "=", userId)
    .where("created_at", ">", startedAfter)
    .where("seen_at", ">", seenAfter)
    .orderBy("seen_at", "desc")
    .orderBy("id", "desc")
    .execute()
}

/** Of these sessions, those that have not ended. */
export async function liveSessionIds(
  db: Reader,
  ids: readonly number[],
  { startedAfter, seenAfter }: { startedAfter: number; seenAfter: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom("session")
    .select("session.id")
    .where("session.id", "in", ids)
    .where("session.created_at", ">", startedAfter)
    .where("session.seen_at", ">", seenAfter)
    .execute()
  return rows.map(({ id }) => id)
}

export async function touchSession(
  tx: Tx,
  sessionId: number,
  { startedAt, seenAt }: { startedAt: number; seenAt: number },
): Promise<void> {
  await tx.updateTable("session").set({ created_at: startedAt, seen_at: seenAt }).where("id", "=", sessionId).execute()
}

/** How many have ended: none if the session is not the user's. */
export async function endSession(tx: Tx, userId: number, sessionId: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("session")
    .where("user_id", "=", userId)
    .where("id", "=", sessionId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function endOtherSessions(tx: Tx, userId: number, sessionId: number): Promise<void> {
  await deleteSessions(tx, (sessions) => sessions.where("user_id", "=", userId).where("id", "!=", sessionId))
}

export async function endAllSessions(tx: Tx, userId: number): Promise<void> {
  await deleteSessions(tx, (sessions) => sessions.where("user_id", "=", userId))
}

/** Ends all sessions of a user but the newest. */
export async function endOldestSessions(tx: Tx, userId: number, { kept }: { kept: number }): Promise<void> {
  await deleteSessions(tx, (sessions) => sessions.where("user_id", "=", userId).orderBy("id", "desc").offset(kept))
}

export async function deleteExpiredSessions(
  tx: Tx,
  { startedAfter, seenAfter }: { startedAfter: number; seenAfter: number },
): Promise<void> {
  await deleteSessions(tx, (sessions) =>
    sessions.where((eb) => eb.or([eb("created_at", "<=", startedAfter), eb("seen_at", "<=", seenAfter)])),
  )
}

type SessionIds = SelectQueryBuilder<Schema, "session", { id: number }>

async function deleteSessions(tx: Tx, which: (sessions: SessionIds) => SessionIds): Promise<void> {
  await deleteInBatches(rowsPerDelete, async () => {
    const { numDeletedRows } = await tx
      .deleteFrom("session")
      .where("id", "in", (eb) => which(eb.selectFrom("session").select("id")).limit(rowsPerDelete))
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}

/**
 * Waits for writers to what the account owns, alone or with others. Locks in the same order as they do: environments, then
 * collections.
 */
export async function lockOwned(tx: Tx, userId: number): Promise<void> {
  if (!locksRows(tx)) return
  const owned = tx
    .selectFrom("collection_member")
    .select("collection_member.collection_id")
    .where("collection_member.user_id", "=", userId)
    .where("collection_member.role", "=", "owner")
  await tx
    .selectFrom("environment")
    .select("id")
    .where("collection_id", "in", owned)
    .orderBy("id")
    .forUpdate()
    .execute()
  await tx.selectFrom("collection").select("id").where("id", "in", owned).orderBy("id").forUpdate().execute()
}

/** Locks the account, so that it is not deleted before the commit. */
export function lockAccount(tx: Tx, userId: number): Promise<{ id: number } | undefined> {
  return tx
    .selectFrom("user")
    .select("id")
    .where("id", "=", userId)
    .$if(locksRows(tx), (query) => query.forUpdate())
    .executeTakeFirst()
}

/** Locks the account and all administrators: of two that are deleted or disabled at the same time, the second sees the first. */
export function lockUserAndAdmins(tx: Tx, userId: number): Promise<UserRow[]> {
  return tx
    .selectFrom("user")
    .select(columns)
    .where("user.id", "in", (eb) =>
      eb
        .selectFrom("user as admin")
        .select("admin.id")
        .where("admin.is_admin", "=", 1)
        .unionAll(eb.selectFrom("user as account").select("account.id").where("account.id", "=", userId)),
    )
    .orderBy("user.id")
    .$if(locksRows(tx), (query) => query.forUpdate())
    .execute()
}

export function activeAdmins(db: Reader, maxRows: number): Promise<{ id: number }[]> {
  return db
    .selectFrom("user")
    .select("id")
    .where("is_admin", "=", 1)
    .where("disabled_at", "is", null)
    .limit(maxRows)
    .execute()
}

export async function collectionIdsOf(db: Reader, userId: number): Promise<number[]> {
  const rows = await db.selectFrom("collection").select("id").where("owner_id", "=", userId).orderBy("id").execute()
  return rows.map((row) => row.id)
}

/** Those that no other user is in. */
export async function unsharedCollectionIdsOf(db: Reader, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("collection")
    .select("collection.id")
    .where("collection.owner_id", "=", userId)
    .where(({ not }) => not(isShared()))
    .orderBy("collection.id")
    .execute()
  return rows.map((row) => row.id)
}

export async function storedBytesOf(db: Reader, userId: number): Promise<number> {
  const row = await db
    .selectFrom("user")
    .select("stored_bytes as storedBytes")
    .where("id", "=", userId)
    .executeTakeFirst()
  return row?.storedBytes ?? 0
}

export interface OwnedCounts {
  collections: number
  environments: number
  items: number
  apiKeys: number
}

export async function countOwned(db: Reader, userId: number): Promise<OwnedCounts> {
  const counts = await db
    .selectFrom("collection")
    .leftJoin("environment", "environment.collection_id", "collection.id")
    .select((eb) => [
      eb.fn.count<number>("collection.id").distinct().as("collections"),
      eb.fn.count<number>("environment.id").as("environments"),
      eb.fn.coalesce(eb.fn.sum<number>("environment.item_count"), eb.lit(0)).as("items"),
    ])
    .where("collection.owner_id", "=", userId)
    .executeTakeFirstOrThrow()
  const keys = await db
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("collection.owner_id", "=", userId)
    .executeTakeFirstOrThrow()
  return { ...counts, apiKeys: keys.count }
}

export async function setDisabledAt(tx: Tx, userId: number, disabledAt: number | null): Promise<void> {
  await tx.updateTable("user").set({ disabled_at: disabledAt }).where("id", "=", userId).execute()
}

export async function setIsAdmin(tx: Tx, userId: number, isAdmin: boolean): Promise<void> {
  await tx
    .updateTable("user")
    .set({ is_admin: isAdmin ? 1 : 0 })
    .where("id", "=", userId)
    .execute()
}

export async function setLastSignIn(tx: Tx, userId: number, now: number): Promise<void> {
  await tx.updateTable("user").set({ last_sign_in_at: now }).where("id", "=", userId).execute()
}

/** With everything that belongs to it, sessions included. */
export async function deleteUser(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom("user").where("id", "=", userId).execute()
}

export async function setPasswordHash(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx.updateTable("user").set({ password_hash: passwordHash }).where("id", "=", userId).execute()
}

export async function deleteResetOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom("password_reset").where("user_id", "=", userId).execute()
}
