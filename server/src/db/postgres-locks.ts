import { sql } from "kysely"
import { isLockTimeout } from "./faults.ts"
import type { Db } from "./schema.ts"
import { tableNames } from "./stored-tables.ts"
import { tableOrder } from "./table-lists.ts"
import { inTransactionOnce } from "./transaction.ts"

// PostgreSQL's advisory locks are numbers whose meaning we define. SQLite has none: it locks its file, and `job-lock.ts` another.

const changingTables = 7276523
const serverRunning = 7276524
const runningJob = 7276525

/** Waits until no other node changes the tables, and keeps others from it until the transaction ends. */
export async function waitForTurn(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${changingTables})`.execute(tx)
}

/** Others hold some of the tables. Nothing is locked, and a later try can succeed. */
export class TablesInUseError extends Error {
  override name = "TablesInUseError"
}

/** An automatic vacuum gives way to one who has waited for a second. */
const vacuumWaitMs = 5_000

/**
 * Keeps everyone else from all tables until the transaction ends. Waits so long for those that are in use, and no longer.
 * Parents come first, as in most transactions that write: those in the same order cannot block each other for good.
 */
export async function lockTables(tx: Db, waitMs: number): Promise<void> {
  try {
    await lockAll(tx, waitMs)
  } catch (error) {
    throw isLockTimeout(error) ? new TablesInUseError() : error
  }
}

async function lockAll(tx: Db, waitMs: number): Promise<void> {
  const stored = await tableNames(tx)
  const ours = sql.join(tableOrder.filter((name) => stored.has(name)).map((name) => sql.table(name)))
  const set = (name: string, ms: number) => sql`select set_config(${name}, ${String(ms)}, true)`.execute(tx)
  // No reader and no writer waits for this lock, but an automatic vacuum does, and no other one begins.
  await set("lock_timeout", vacuumWaitMs)
  await sql`lock table ${ours} in share update exclusive mode`.execute(tx)
  // The first limit is for each table, and the second for all of them, in which others wait for those that are locked.
  await set("lock_timeout", waitMs)
  await set("statement_timeout", 2 * waitMs)
  await sql`lock table ${ours} in access exclusive mode`.execute(tx)
  await set("statement_timeout", 0)
}

/** Runs on a connection that a server keeps until it stops. Many servers can hold this lock at the same time. */
export const markRunning = `select pg_advisory_lock_shared(${serverRunning})`

/** False if a server is running on this database. Otherwise none can start before the transaction ends. */
export async function keepServersOut(tx: Db): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(${serverRunning}) as free`.execute(tx)
  return rows[0]?.free === true
}

/** Runs the work unless another node is running the work of that name. */
export async function unlessOnOtherNode(db: Db, name: string, work: () => Promise<void>): Promise<void> {
  await inTransactionOnce(db, async (tx) => {
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock(${runningJob}, hashtext(${name})) as free`.execute(tx)
    if (rows[0]?.free) await work()
  })
}
