import { limits, sentences } from "@envkeep/contract"
import { type ExpressionBuilder, type RawBuilder, sql } from "kysely"
import { BoundError } from "../bounds/bound-error.ts"
import { locksRows } from "../db/engine.ts"
import { prepared } from "../db/prepared.ts"
import type { Db, Schema, Tx } from "../db/schema.ts"
import { quotaTables } from "../db/table-lists.ts"

/** What an account stores more than before, or less. */
export interface Growth {
  /** Collections, environments, items, API keys and described names. */
  rows: number
  /** Of sealed values, of what names of items are too long by, and of descriptions. */
  sealedBytes: number
  /** Of values that are replaced or deleted, and stay in the history. */
  historyBytes?: number
  /** Of the sealed bytes, what was there before and is counted only now. It is no reason to refuse a change. */
  lateBytes?: number
}

/** Which account a change is counted to. The collection's own says who that is at the end of the transaction. */
export type Payer = { userId: number } | { collectionId: number }

export interface Quota {
  /** Undefined if nothing is refused. */
  quotaBytes: number | undefined
  /** Whether the one who pays makes the change. Others are told no numbers. */
  isOwn(payerId: number): boolean
}

/** With a full account, a leaked value must still be replaced. So the history may take as much again. */
const timesQuotaWithHistory = 2

/**
 * Adds to what an account is counted to store; nothing else changes the counter. Growth beyond the quota is refused, a
 * change that needs no more space never is. The last statement of a transaction: all writers of an account lock its row
 * here, after what they have changed, so none waits for another for long and none waits in a circle.
 */
export async function addStoredBytes(tx: Tx, payer: Payer, growth: Growth, quota: Quota): Promise<void> {
  const bytes = bytesOf(growth)
  if (bytes === 0) return
  const [user] =
    "userId" in payer
      ? await updateOfUser(tx, { userId: payer.userId, bytes }, "")
      : await updateOfCollection(tx, { collectionId: payer.collectionId, bytes }, "")
  if (user !== undefined) refuseBeyond(quota, user, growth)
}

/**
 * Refuses what `addStoredBytes` would refuse in the end, before the work is done. It counts nothing and locks nothing: if
 * others write at the same time, the end decides.
 */
export async function refuseGrowth(tx: Tx, payer: Payer, growth: Growth, quota: Quota): Promise<void> {
  if (quota.quotaBytes === undefined) return
  const user = await tx
    .selectFrom("user")
    .select(["id", "stored_bytes as storedBytes"])
    .where("id", "=", (eb) => ("userId" in payer ? eb.val(payer.userId) : ownerOf(eb, payer.collectionId)))
    .executeTakeFirst()
  if (user !== undefined) refuseBeyond(quota, { ...user, storedBytes: user.storedBytes + bytesOf(growth) }, growth)
}

/** `user` with what they store after the growth. */
function refuseBeyond({ quotaBytes, isOwn }: Quota, user: { id: number; storedBytes: number }, growth: Growth): void {
  const { lateBytes = 0 } = growth
  if (quotaBytes === undefined || bytesOf(growth) - lateBytes <= 0) return
  const allowedBytes = quotaBytes * (currentBytesOf(growth) - lateBytes > 0 ? 1 : timesQuotaWithHistory)
  if (user.storedBytes <= allowedBytes) return
  throw new BoundError(
    "quota",
    "invalid",
    isOwn(user.id) ? sentences.quotaExceeded(quotaBytes) : sentences.ownersQuotaExceeded,
  )
}

function bytesOf(growth: Growth): number {
  return currentBytesOf(growth) + (growth.historyBytes ?? 0)
}

function currentBytesOf({ rows, sealedBytes }: Growth): number {
  return rows * limits.rowBytes + sealedBytes
}

/** Of several changes together. */
export function totalGrowth(growths: readonly Growth[]): Growth {
  const total = { rows: 0, sealedBytes: 0, historyBytes: 0, lateBytes: 0 }
  for (const { rows, sealedBytes, historyBytes = 0, lateBytes = 0 } of growths) {
    total.rows += rows
    total.sealedBytes += sealedBytes
    total.historyBytes += historyBytes
    total.lateBytes += lateBytes
  }
  return total
}

const updateOfUser = prepared((tx: Tx, { userId, bytes }: { userId: number; bytes: number }) =>
  addition(tx, bytes).where("id", "=", userId),
)

// Looked up here, not with the locked environment: on PostgreSQL, a writer that waited for
// the lock has read who paid before.
const updateOfCollection = prepared((tx: Tx, { collectionId, bytes }: { collectionId: number; bytes: number }) =>
  addition(tx, bytes).where("id", "=", (eb) => ownerOf(eb, collectionId)),
)

function ownerOf(eb: ExpressionBuilder<Schema, "user">, collectionId: number) {
  return eb.selectFrom("collection").select("collection.owner_id").where("collection.id", "=", collectionId)
}

function addition(tx: Tx, bytes: number) {
  return tx
    .updateTable("user")
    .set((eb) => ({ stored_bytes: eb("stored_bytes", "+", bytes) }))
    .returning(["id", "stored_bytes as storedBytes"])
}

/** For a query over `user`: what the counter should be. Environments and collections count what they hold themselves. */
export const recountedBytes = sql<number>`(${sql.join(quotaTables.map(countedIn), sql` + `)})`

function countedIn({ table, path, rows = [], bytes = [] }: (typeof quotaTables)[number]): RawBuilder<number> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const counted = sql.join([sql`1`, ...rows.map(column)], sql` + `)
  const sizes = [...bytes.map(column), sql`${limits.rowBytes} * (${counted})`]
  const joins = path.map(({ column, parent }, at) => {
    const child = path[at - 1]?.parent ?? table
    return sql`join ${sql.table(parent)} on ${sql.ref(`${parent}.id`)} = ${sql.ref(`${child}.${column}`)}`
  })
  return sql`(select coalesce(sum(${sql.join(sizes, sql` + `)}), 0)
    from ${sql.table(table)} ${sql.join(joins, sql` `)} where collection.owner_id = "user".id)`
}

/** For accounts that have got what another one had, which the caller has locked. */
export async function recountAccounts(tx: Tx, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return
  await tx.updateTable("user").set({ stored_bytes: recountedBytes }).where("id", "in", userIds).execute()
}

/** Sets every wrong counter right, in a transaction of the caller, and returns how many there were. */
export async function recountStoredBytes(tx: Db): Promise<number> {
  // Those who have counted already are waited for, and seen by the next statement. The others count afterwards.
  if (locksRows(tx)) await tx.selectFrom("user").select("id").orderBy("id").forUpdate().execute()
  const { numUpdatedRows } = await tx
    .updateTable("user")
    .set({ stored_bytes: recountedBytes })
    .where("stored_bytes", "<>", recountedBytes)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
