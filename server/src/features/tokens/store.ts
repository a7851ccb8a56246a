import type { Scope } from "@envkeep/contract"
import { sql } from "kysely"
import type { Reaching } from "../../access/caller.ts"
import { reach } from "../../access/reach.ts"
import { byParents } from "../../bounds/batches.ts"
import { locksRows } from "../../db/engine.ts"
import { prepared } from "../../db/prepared.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// Tokens belong to a user: every query is by the user's id, by the hash, or by the id of a token that was identified.

export interface TokenRow {
  id: number
  name: string
  scope: Scope
  isLimited: number
  createdAt: number
  expiresAt: number | null
  lastUsedAt: number | null
  lastUsedBy: string | null
  lastUsedFrom: string | null
}

const columns = [
  "token.id",
  "token.name",
  "token.scope",
  "token.is_limited as isLimited",
  "token.created_at as createdAt",
  "token.expires_at as expiresAt",
  "token.last_used_at as lastUsedAt",
  "token.last_used_by as lastUsedBy",
  "token.last_used_from as lastUsedFrom",
] as const

/** The newest first. */
export function tokensOf(db: Reader, userId: number): Promise<TokenRow[]> {
  return db.selectFrom("token").select(columns).where("user_id", "=", userId).orderBy("id", "desc").execute()
}

export interface ListedCollection {
  tokenId: number
  id: number
  name: string
}

/** What the user's tokens, or one of them, are limited to, as far as the user can still see it. */
export function listedCollections(db: Reader, userId: number, tokenId?: number): Promise<ListedCollection[]> {
  return db
    .selectFrom("token_collection")
    .innerJoin("token", "token.id", "token_collection.token_id")
    .innerJoin("collection", "collection.id", "token_collection.collection_id")
    .select(["token.id as tokenId", "collection.id", "collection.name"])
    .where("token.user_id", "=", userId)
    .$if(tokenId !== undefined, (query) => query.where("token.id", "=", tokenId ?? 0))
    .where(reach(asViewer(userId)))
    .orderBy("collection.id")
    .execute()
}

/** Makes those who create tokens for one account take turns, so that its limit holds. */
export async function lockUser(tx: Tx, userId: number): Promise<void> {
  if (!locksRows(tx)) return
  await tx.selectFrom("user").select("id").where("id", "=", userId).forNoKeyUpdate().execute()
}

export async function countTokens(tx: Tx, userId: number): Promise<number> {
  const { count } = await tx
    .selectFrom("token")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow()
  return count
}

interface NewToken {
  name: string
  tokenHash: string
  scope: Scope
  isLimited: boolean
  now: number
  expiresAt: number | null
}

export function insertToken(tx: Tx, userId: number, token: NewToken): Promise<TokenRow> {
  return tx
    .insertInto("token")
    .values({
      user_id: userId,
      name: token.name,
      token_hash: token.tokenHash,
      scope: token.scope,
      is_limited: token.isLimited ? 1 : 0,
      created_at: token.now,
      expires_at: token.expiresAt,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** How many of these collections the token is now limited to: those that the user can see. */
export async function limitTo(
  tx: Tx,
  { userId, tokenId }: { userId: number; tokenId: number },
  collectionIds: readonly number[],
): Promise<number> {
  if (collectionIds.length === 0) return 0
  const rows = await tx
    .insertInto("token_collection")
    .columns(["token_id", "collection_id"])
    .expression((eb) =>
      eb
        .selectFrom("collection")
        .select((eb) => [eb.cast<number>(eb.val(tokenId), "bigint").as("token_id"), "collection.id"])
        .where("collection.id", "in", collectionIds)
        .where(reach(asViewer(userId))),
    )
    .returning("id")
    .execute()
  return rows.length
}

function asViewer(userId: number): Reaching {
  return { userId, level: "viewer", token: undefined }
}

export function deleteToken(tx: Tx, userId: number, id: number): Promise<{ name: string } | undefined> {
  return tx.deleteFrom("token").where("user_id", "=", userId).where("id", "=", id).returning("name").executeTakeFirst()
}

/** What decides whether a token can be used. */
export interface TokenState {
  expiresAt: number | null
  disabledAt: number | null
}

export interface IdentifiedToken extends TokenState {
  id: number
  userId: number
  name: string
  scope: Scope
  isLimited: number
  username: string
  isAdmin: number
}

export async function tokenByHash(db: Reader, tokenHash: string): Promise<IdentifiedToken | undefined> {
  const [row] = await tokensByHash(db, { tokenHash }, "")
  return row
}

const tokensByHash = prepared((db: Reader, { tokenHash }: { tokenHash: string }) =>
  db
    .selectFrom("token")
    .innerJoin("user", "user.id", "token.user_id")
    .select([
      "token.id",
      "token.user_id as userId",
      "token.name",
      "token.scope",
      "token.is_limited as isLimited",
      "token.expires_at as expiresAt",
      "user.username",
      "user.is_admin as isAdmin",
      "user.disabled_at as disabledAt",
    ])
    .where("token.token_hash", "=", tokenHash),
)

const tokensPerStatement = 250

export function tokensById(db: Reader, ids: readonly number[]): Promise<(TokenState & { id: number })[]> {
  return byParents(ids, tokensPerStatement, (some) =>
    db
      .selectFrom("token")
      .innerJoin("user", "user.id", "token.user_id")
      .select(["token.id", "token.expires_at as expiresAt", "user.disabled_at as disabledAt"])
      .where("token.id", "in", some)
      .execute(),
  )
}

export interface UsedToken {
  id: number
  /** The program, if it said which one it is. */
  by: string | null
  /** The network. */
  from: string
}

/** Many tokens in one statement: each statement is a commit. */
export async function setLastUsed(tx: Tx, uses: readonly UsedToken[], at: number): Promise<void> {
  await byParents(uses, tokensPerStatement, (some) => {
    const byId = (pick: (use: UsedToken) => string | null) => {
      const cases = some.map((use) => sql`when ${use.id} then ${pick(use)}`)
      return sql<string | null>`case id ${sql.join(cases, sql` `)} else cast(null as text) end`
    }
    return tx
      .updateTable("token")
      .set({ last_used_at: at, last_used_by: byId(({ by }) => by), last_used_from: byId(({ from }) => from) })
      .where(
        "id",
        "in",
        some.map(({ id }) => id),
      )
      .execute()
  })
}
