import { sql } from "kysely"
import { engineOf } from "./engine.ts"
import type { Db } from "./schema.ts"
import { tableNames } from "./stored-tables.ts"
import { tableOrder } from "./tables.ts"

// PostgreSQL's advisory locks are numbers whose meaning we define. SQLite needs none: it locks its file.

const changingTables = 7276523
const serverRunning = 7276524
const runningJob = 7276525

/** Waits until no other node changes the tables, and keeps others from it until the transaction ends. */
export async function waitForTurn(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${changingTables})`.execute(tx)
}

/**
 * Keeps everyone else from all tables until the transaction ends. Waits so long for one that is in use, and no longer.
 * Parents come first, as in most transactions that write: those in the same order cannot block each other for good.
 */
export async function lockTables(tx: Db, waitMs: number): Promise<void> {
  const stored = await tableNames(tx)
  const ours = tableOrder.filter((name) => stored.has(name)).map((name) => sql.table(name))
  await sql`select set_config('lock_timeout', ${String(waitMs)}, true)`.execute(tx)
  await sql`lock table ${sql.join(ours)} in access exclusive mode`.execute(tx)
}

/** Runs on a connection that a server keeps until it stops. Many servers can hold this lock at the same time. */
export const markRunning = `select pg_advisory_lock_shared(${serverRunning})`

/** False if a server is running on this database. Otherwise none can start before the transaction ends. */
export async function keepServersOut(tx: Db): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(${serverRunning}) as free`.execute(tx)
  return rows[0]?.free === true
}

/** Runs the work unless another node is running the work of that name. On SQLite there is only one node. */
export async function onOneNode(db: Db, name: string, work: () => Promise<void>): Promise<void> {
  if (engineOf(db) === "sqlite") return work()
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock(${runningJob}, hashtext(${name})) as free`.execute(tx)
    if (rows[0]?.free) await work()
  })
}
