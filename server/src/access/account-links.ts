import { sentences } from "@envkeep/contract"
import type { Reader, Tx } from "../db/schema.ts"
import { dayMs } from "../durations.ts"
import { invalid } from "../errors.ts"
import { hashToken, newSessionToken } from "../keys/token.ts"

// Links that work once: for a forgotten password, and for a lost second factor. An account has one in each table at most. A
// link is found by the hash of its token, which stands for reach.

/** Anyone can ask for a mailed link to a new password, so it is not kept in the place of an administrator's. */
const tables = {
  reset: ["password_reset", "mailed_reset"],
  factor: ["factor_link"],
} as const

type LinkKind = keyof typeof tables
type LinkTable = (typeof tables)[LinkKind][number]

/** For so long after it has expired, the holder of a link is told that it has expired or was used. */
export const keptLinkMs = 30 * dayMs

/** The token of a new link. An earlier link of the account in this table stops working. */
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
  kind: LinkKind,
  { token, userId }: GivenLink,
): Promise<{ userId: number }> {
  const found = await findLink(db, kind, hashToken(token))
  if (found === undefined || found.userId !== (userId ?? found.userId)) throw invalid(sentences.resetLinkUnknown)
  if (found.usedAt !== null) throw invalid(sentences.resetLinkUsed)
  if (found.expiresAt <= Date.now()) throw invalid(sentences.resetLinkExpired)
  return { userId: found.userId }
}

interface Link {
  userId: number
  expiresAt: number
  usedAt: number | null
}

async function findLink(db: Reader, kind: LinkKind, tokenHash: string): Promise<Link | undefined> {
  for (const table of tables[kind]) {
    const link = await db
      .selectFrom(table)
      .select(["user_id as userId", "expires_at as expiresAt", "used_at as usedAt"])
      .where("token_hash", "=", tokenHash)
      .executeTakeFirst()
    if (link !== undefined) return link
  }
  return undefined
}

/** Of two uses at the same time one is refused. With it, the account's other links of this kind are used up. */
export async function useUpLink(tx: Tx, kind: LinkKind, { token, userId }: Required<GivenLink>): Promise<void> {
  const now = Date.now()
  let used = 0n
  for (const table of tables[kind]) {
    const { numUpdatedRows } = await tx
      .updateTable(table)
      .set({ used_at: now })
      .where("token_hash", "=", hashToken(token))
      .where("used_at", "is", null)
      .where("expires_at", ">", now)
      .executeTakeFirst()
    used += numUpdatedRows
  }
  if (used === 0n) throw invalid(sentences.resetLinkUsed)
  for (const table of tables[kind]) {
    const unused = tx.updateTable(table).set({ used_at: now }).where("used_at", "is", null)
    await unused.where("user_id", "=", userId).execute()
  }
}

export async function deleteLinksOf(tx: Tx, kind: LinkKind, userId: number): Promise<void> {
  for (const table of tables[kind]) await tx.deleteFrom(table).where("user_id", "=", userId).execute()
}
