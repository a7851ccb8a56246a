import { hasRows } from "../../bounds/has-rows.ts"
import { locksRows } from "../../db/engine.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// Every query is by the user's id, or by the hash of a token that only the user has.

export interface Factors {
  totp: boolean
  passkeys: number
  recoveryCodesLeft: number
}

/** What the account can finish a login with. An app that was not confirmed yet does not count. */
export async function factorsOf(db: Reader, userId: number): Promise<Factors> {
  const row = await db
    .selectFrom("user")
    .select((eb) => [
      eb
        .selectFrom("totp")
        .select((totp) => totp.fn.countAll<number>().as("count"))
        .where("totp.user_id", "=", userId)
        .where("totp.confirmed_at", "is not", null)
        .as("totp"),
      eb
        .selectFrom("recovery_code")
        .select((code) => code.fn.countAll<number>().as("count"))
        .where("recovery_code.user_id", "=", userId)
        .as("codes"),
      eb
        .selectFrom("passkey")
        .select((passkey) => passkey.fn.countAll<number>().as("count"))
        .where("passkey.user_id", "=", userId)
        .as("passkeys"),
    ])
    .where("user.id", "=", userId)
    .executeTakeFirst()
  return {
    totp: Number(row?.totp ?? 0) > 0,
    passkeys: Number(row?.passkeys ?? 0),
    recoveryCodesLeft: Number(row?.codes ?? 0),
  }
}

/** Of these users, those with a confirmed app or a passkey. */
export async function usersWithFactor(db: Reader, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom("totp")
    .select("user_id as userId")
    .where("user_id", "in", ids)
    .where("confirmed_at", "is not", null)
    .union(db.selectFrom("passkey").select("user_id as userId").where("user_id", "in", ids))
    .execute()
  return rows.map(({ userId }) => userId)
}

/** Locks the account, so that of two changes of its factors the second sees the first. */
export function lockAccount(tx: Tx, userId: number): Promise<{ id: number; email: string } | undefined> {
  return tx
    .selectFrom("user")
    .select(["id", "email"])
    .where("id", "=", userId)
    .$if(locksRows(tx), (query) => query.forUpdate())
    .executeTakeFirst()
}

export interface PendingRow {
  userId: number
  checkedHash: string
  tries: number
}

interface NewPending {
  tokenHash: string
  userId: number
  checkedHash: string
  address: string
  now: number
  expiresAt: number
}

export async function insertPending(tx: Tx, pending: NewPending): Promise<void> {
  await tx
    .insertInto("pending_sign_in")
    .values({
      token_hash: pending.tokenHash,
      user_id: pending.userId,
      checked_hash: pending.checkedHash,
      address: pending.address,
      created_at: pending.now,
      expires_at: pending.expiresAt,
    })
    .execute()
}

/** Removes all of a user from a network but the newest. */
export async function deleteOldestPending(
  tx: Tx,
  userId: number,
  { address, kept }: { address: string; kept: number },
): Promise<void> {
  await tx
    .deleteFrom("pending_sign_in")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("pending_sign_in")
        .select("id")
        .where("user_id", "=", userId)
        .where("address", "=", address)
        .orderBy("id", "desc")
        .limit(1_000)
        .offset(kept),
    )
    .execute()
}

/** One that has not expired. */
export function findPending(db: Reader, tokenHash: string, now: number): Promise<PendingRow | undefined> {
  return db
    .selectFrom("pending_sign_in")
    .select(["user_id as userId", "checked_hash as checkedHash", "tries"])
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", now)
    .executeTakeFirst()
}

/** Counts a try, unless there were as many as are allowed. One statement, so that no two tries count as one. */
export function addTry(
  tx: Tx,
  tokenHash: string,
  { maxTries, now }: { maxTries: number; now: number },
): Promise<PendingRow | undefined> {
  return tx
    .updateTable("pending_sign_in")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", now)
    .where("tries", "<", maxTries)
    .returning(["user_id as userId", "checked_hash as checkedHash", "tries"])
    .executeTakeFirst()
}

/** Removes it, so that it finishes one login. Of two at the same time, one gets no row. */
export function takePending(tx: Tx, tokenHash: string, now: number): Promise<{ userId: number } | undefined> {
  return tx
    .deleteFrom("pending_sign_in")
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", now)
    .returning("user_id as userId")
    .executeTakeFirst()
}

export interface TotpRow {
  id: number
  sealedSecret: Uint8Array
  confirmedAt: number | null
}

export function totpOf(db: Reader, userId: number): Promise<TotpRow | undefined> {
  return db
    .selectFrom("totp")
    .select(["id", "sealed_secret as sealedSecret", "confirmed_at as confirmedAt"])
    .where("user_id", "=", userId)
    .executeTakeFirst()
}

/** Replaces one that was not confirmed. */
export async function putTotp(
  tx: Tx,
  userId: number,
  { sealedSecret, now }: { sealedSecret: Uint8Array; now: number },
): Promise<void> {
  const totp = { sealed_secret: sealedSecret, created_at: now, confirmed_at: null, last_step: 0 }
  await tx
    .insertInto("totp")
    .values({ user_id: userId, ...totp })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(totp))
    .execute()
}

interface UsedStep {
  step: number
  /** A later step than this was written while the clock was wrong. It must not refuse codes until then. */
  maxStep: number
}

/** Marks the step of a code as used. Nothing if it was used before: of two at the same time, one gets no row. */
export function useStep(
  tx: Tx,
  totp: Pick<TotpRow, "id" | "sealedSecret">,
  { step, maxStep }: UsedStep,
): Promise<{ id: number } | undefined> {
  return tx
    .updateTable("totp")
    .set({ last_step: step })
    .where("id", "=", totp.id)
    .where("confirmed_at", "is not", null)
    .where((eb) => eb.or([eb("last_step", "<", step), eb("last_step", ">", maxStep)]))
    .returning("id")
    .executeTakeFirst()
}

/** Switches it on. The code that shows this counts as used. */
export async function confirmTotp(tx: Tx, id: number, { step, now }: { step: number; now: number }): Promise<void> {
  await tx.updateTable("totp").set({ confirmed_at: now, last_step: step }).where("id", "=", id).execute()
}

/** Also one that was not confirmed; says whether it was. */
export async function deleteTotp(tx: Tx, userId: number): Promise<{ wasOn: boolean }> {
  const row = await tx
    .deleteFrom("totp")
    .where("user_id", "=", userId)
    .returning("confirmed_at as confirmedAt")
    .executeTakeFirst()
  return { wasOn: row !== undefined && row.confirmedAt !== null }
}

/** Replaces all earlier ones. */
export async function putRecoveryCodes(
  tx: Tx,
  userId: number,
  { hashes, now }: { hashes: readonly string[]; now: number },
): Promise<void> {
  await deleteRecoveryCodes(tx, userId)
  const rows = hashes.map((hash) => ({ user_id: userId, code_hash: hash, created_at: now }))
  await tx.insertInto("recovery_code").values(rows).execute()
}

export async function deleteRecoveryCodes(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom("recovery_code").where("user_id", "=", userId).execute()
}

/** Of two that try at the same time, one gets no row. */
export function takeRecoveryCode(tx: Tx, userId: number, codeHash: string): Promise<{ id: number } | undefined> {
  return tx
    .deleteFrom("recovery_code")
    .where("user_id", "=", userId)
    .where("code_hash", "=", codeHash)
    .returning("id")
    .executeTakeFirst()
}

/** Whether a passkey of the account was made for this host. */
export function hasPasskeyOf(db: Reader, userId: number, host: string): Promise<boolean> {
  return hasRows(db.selectFrom("passkey").select("id").where("user_id", "=", userId).where("host", "=", host), 1)
}

export async function deletePasskeys(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom("passkey").where("user_id", "=", userId).execute()
}
