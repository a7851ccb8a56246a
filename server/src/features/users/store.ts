import { isShared } from "../../access/reach.ts"
import { locksRows } from "../../db/engine.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// Users own their rows: every query is by the user's id or by the unique e-mail.

export interface UserRow {
  id: number
  username: string
  email: string
  isAdmin: number
  disabledAt: number | null
}

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

export interface SignedInUser {
  emailKey: string
  passwordHash: string
}

/**
 * Writes down when the user signed in, if the account is not disabled and the hash is still the one that was checked, if one
 * was. The row is locked then: neither can change before the commit.
 */
export function setLastSignIn(
  tx: Tx,
  { userId, now, checkedHash }: { userId: number; now: number; checkedHash: string | undefined },
): Promise<SignedInUser | undefined> {
  return tx
    .updateTable("user")
    .set({ last_sign_in_at: now })
    .where("id", "=", userId)
    .where("disabled_at", "is", null)
    .$if(checkedHash !== undefined, (query) => query.where("password_hash", "=", checkedHash ?? ""))
    .returning(["email_key as emailKey", "password_hash as passwordHash"])
    .executeTakeFirst()
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

/** Locks the account, so that it is neither changed nor deleted before the commit. */
export function lockAccount(tx: Tx, userId: number): Promise<{ id: number; email: string } | undefined> {
  return tx
    .selectFrom("user")
    .select(["id", "email"])
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

/** With everything that belongs to it, sessions included. */
export async function deleteUser(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom("user").where("id", "=", userId).execute()
}

export async function setPasswordHash(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx.updateTable("user").set({ password_hash: passwordHash }).where("id", "=", userId).execute()
}
