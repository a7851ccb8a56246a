import type { Reader, Tx } from "../../../db/schema.ts"

// A link is found by the hash of its token, and belongs to one account.

/** Replaces an earlier link of the account. */
export async function putReset(
  tx: Tx,
  userId: number,
  { tokenHash, expiresAt }: { tokenHash: string; expiresAt: number },
): Promise<void> {
  const link = { token_hash: tokenHash, expires_at: expiresAt, used_at: null }
  await tx
    .insertInto("password_reset")
    .values({ user_id: userId, ...link })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(link))
    .execute()
}

export interface ResetRow {
  userId: number
  expiresAt: number
  usedAt: number | null
}

export function findReset(db: Reader, tokenHash: string): Promise<ResetRow | undefined> {
  return db
    .selectFrom("password_reset")
    .select(["user_id as userId", "expires_at as expiresAt", "used_at as usedAt"])
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst()
}

/** Of two that try at the same time, one gets no row. */
export function markResetUsed(tx: Tx, tokenHash: string, now: number): Promise<{ userId: number } | undefined> {
  return tx
    .updateTable("password_reset")
    .set({ used_at: now })
    .where("token_hash", "=", tokenHash)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning("user_id as userId")
    .executeTakeFirst()
}

export async function deleteResetsBefore(tx: Tx, expiredBefore: number): Promise<void> {
  await tx.deleteFrom("password_reset").where("expires_at", "<", expiredBefore).execute()
}
