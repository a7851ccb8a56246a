import { sentences } from "@envkeep/contract"
import type { Core } from "../db/core.ts"
import type { Reader, Tx } from "../db/schema.ts"
import { invalid } from "../errors.ts"
import { hashToken, newSessionToken } from "../keys/token.ts"

// Links that work once: for a forgotten password, and for a lost second factor. An account has one of each kind at most. A
// link is found by the hash of its token, which stands for reach.

type LinkTable = "password_reset" | "factor_link"

/** For so long after it has expired, the holder of a link is told that it has expired or was used. */
const keptAfterExpiryMs = 30 * 24 * 3_600_000

/** The token of a new link. An earlier link of the account stops working. */
export async function putLink(tx: Tx, table: LinkTable, userId: number, expiresAt: number): Promise<string> {
  const token = newSessionToken()
  const link = { token_hash: hashToken(token), expires_at: expiresAt, used_at: null }
  await tx
    .insertInto(table)
    .values({ user_id: userId, ...link })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(link))
    .execute()
  return token
}

interface GivenLink {
  token: string
  /** With this, links of other accounts are not valid. */
  userId?: number
}

/** Whose link it is. Refuses one that cannot be used: its holder may know what became of it, but not whose it is. */
export async function usableLink(
  db: Reader,
  table: LinkTable,
  { token, userId }: GivenLink,
): Promise<{ userId: number }> {
  const found = await db
    .selectFrom(table)
    .select(["user_id as userId", "expires_at as expiresAt", "used_at as usedAt"])
    .where("token_hash", "=", hashToken(token))
    .executeTakeFirst()
  if (found === undefined || found.userId !== (userId ?? found.userId)) throw invalid(sentences.resetLinkUnknown)
  if (found.usedAt !== null) throw invalid(sentences.resetLinkUsed)
  if (found.expiresAt <= Date.now()) throw invalid(sentences.resetLinkExpired)
  return { userId: found.userId }
}

/** One statement, so that of two uses at the same time one is refused. */
export async function useUpLink(tx: Tx, table: LinkTable, token: string): Promise<void> {
  const now = Date.now()
  const used = await tx
    .updateTable(table)
    .set({ used_at: now })
    .where("token_hash", "=", hashToken(token))
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning("user_id")
    .executeTakeFirst()
  if (used === undefined) throw invalid(sentences.resetLinkUsed)
}

export async function deleteLinkOf(tx: Tx, table: LinkTable, userId: number): Promise<void> {
  await tx.deleteFrom(table).where("user_id", "=", userId).execute()
}

export async function purgeExpiredLinks(core: Core, table: LinkTable): Promise<void> {
  const expiredBefore = Date.now() - keptAfterExpiryMs
  await core.bookkeep((tx) => tx.deleteFrom(table).where("expires_at", "<", expiredBefore).execute())
}
