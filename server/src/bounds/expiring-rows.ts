import { type RawBuilder, sql } from "kysely"
import type { Bookkeeping } from "../db/bookkeeping.ts"
import { isOutage } from "../db/faults.ts"
import type { Reader, Schema, Tx } from "../db/schema.ts"
import { type BadRows, createBadRows, type RowKey } from "./bad-rows.ts"
import { deleteInBatches } from "./batches.ts"
import { nextTurn } from "./turns.ts"

/** Rows of a table that are deleted some time after they were of use. */
export type Expiring = { [Table in keyof Schema]: ExpiringIn<Table> }[keyof Schema]

interface ExpiringIn<Table extends keyof Schema> {
  table: Table
  /** By what a row is found again. */
  key: keyof Schema[Table] & string
  /** A row is expired once one of these times was so long ago. */
  afterMs: { [Column in keyof Schema[Table] & `${string}_at`]?: number }
}

/** To delete so many is a short piece of work on the thread. */
const rowsPerDelete = 500

type PurgeDoor = Pick<Bookkeeping, "db" | "bookkeep">

interface PurgeOptions {
  now?: number
  /** Once it is aborted, the rest is left to the next run. */
  signal?: AbortSignal | undefined
  /** Those that earlier runs have found. What is found now is added. */
  badRows?: BadRows
}

/** Deletes what is expired, in batches, and returns how many rows that were. A row that cannot be deleted stays. */
export async function purge(
  door: PurgeDoor,
  expiring: Expiring,
  { now = Date.now(), signal, badRows = createBadRows() }: PurgeOptions = {},
): Promise<number> {
  for (let deleted = 0; ; await nextTurn()) {
    const expired = expiredBy(expiring, now, badRows.keysIn(expiring.table))
    const batch = await deleteBatch(door, expired, badRows)
    deleted += batch.deleted
    if (batch.tried < rowsPerDelete || signal?.aborted) return deleted
  }
}

type ExpiringTable = "cli_login" | "passkey_challenge" | "provider_visit"

/** For what waits for some minutes, when more of it is about to be written. */
export async function deleteExpired(tx: Tx, table: ExpiringTable, now: number): Promise<void> {
  const expired = expiredBy({ table, key: "id", afterMs: { expires_at: 0 } }, now, [])
  await deleteInBatches(rowsPerDelete, () => deleteSome(tx, expired))
}

interface Expired {
  table: Expiring["table"]
  key: RawBuilder<unknown>
  condition: RawBuilder<unknown>
  /** Leads to an index, where there is one condition. */
  order: RawBuilder<unknown>
}

function expiredBy({ table, key, afterMs }: Expiring, now: number, except: readonly RowKey[]): Expired {
  const times = Object.entries(afterMs)
  const isOver = sql.join(
    times.map(([column, ms]) => sql`${sql.ref(column)} <= ${now - ms}`),
    sql` or `,
  )
  const isTried = except.length === 0 ? sql`` : sql` and ${sql.ref(key)} not in (${sql.join(except)})`
  const [first] = times
  return {
    table,
    key: sql.ref(key),
    condition: sql`(${isOver})${isTried}`,
    order: times.length > 1 || first === undefined ? sql`` : sql`order by ${sql.ref(first[0])}`,
  }
}

async function deleteBatch(
  door: PurgeDoor,
  expired: Expired,
  badRows: BadRows,
): Promise<{ tried: number; deleted: number }> {
  try {
    const deleted = await door.bookkeep((tx) => deleteSome(tx, expired))
    return { tried: deleted, deleted }
  } catch (error) {
    if (isOutage(error)) throw error
    const keys = await someKeys(door.db, expired)
    return { tried: keys.length, deleted: await deleteByHalves(door, expired, { keys, badRows }) }
  }
}

/** Finds those that cannot be deleted: one of 500 takes some twenty statements. */
async function deleteByHalves(
  door: PurgeDoor,
  expired: Expired,
  { keys, badRows }: { keys: RowKey[]; badRows: BadRows },
): Promise<number> {
  const [first] = keys
  if (first === undefined) return 0
  const deleteAll = () => door.bookkeep((tx) => deleteKeys(tx, expired, keys))
  if (keys.length === 1) return (await badRows.attempt(expired.table, first, deleteAll)) ?? 0
  try {
    return await deleteAll()
  } catch (error) {
    if (isOutage(error)) throw error
  }
  const half = Math.ceil(keys.length / 2)
  return (
    (await deleteByHalves(door, expired, { keys: keys.slice(0, half), badRows })) +
    (await deleteByHalves(door, expired, { keys: keys.slice(half), badRows }))
  )
}

async function deleteSome(tx: Tx, { table, key, condition, order }: Expired): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ${key} in
    (select ${key} from ${sql.table(table)} where ${condition} ${order} limit ${rowsPerDelete})`.execute(tx)
  return Number(numAffectedRows)
}

async function someKeys(db: Reader, { table, key, condition, order }: Expired): Promise<RowKey[]> {
  const { rows } = await sql<{ found: RowKey }>`select ${key} as found from ${sql.table(table)}
    where ${condition} ${order} limit ${rowsPerDelete}`.execute(db)
  return rows.map(({ found }) => found)
}

/** Those that are still expired. */
async function deleteKeys(tx: Tx, { table, key, condition }: Expired, keys: readonly RowKey[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)}
    where ${key} in (${sql.join(keys)}) and ${condition}`.execute(tx)
  return Number(numAffectedRows)
}
