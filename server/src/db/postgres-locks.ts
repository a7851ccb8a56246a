import { sql } from "kysely"
import { engineOf } from "./engine.ts"
import type { Db } from "./schema.ts"

// PostgreSQL's advisory locks are numbers that mean what those who take them agree on. SQLite has its file's own lock.

const changingTables = 7276523
const serverRunning = 7276524
const runningJob = 7276525

/** Until the transaction ends, nobody else changes the tables. */
export async function waitForTurn(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${changingTables})`.execute(tx)
}

/** Run on the connection that a server keeps for as long as it runs; many servers may hold it at once. */
export const markRunning = `select pg_advisory_lock_shared(${serverRunning})`

/** False when a server is running on this database. Otherwise none gets to running before the transaction has ended. */
export async function keepServersOut(tx: Db): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(${serverRunning}) as free`.execute(tx)
  return rows[0]?.free === true
}

/** Runs the work unless another node runs the work of that name right now. On SQLite there is only one node. */
export async function onOneNode(db: Db, name: string, work: () => Promise<void>): Promise<void> {
  if (engineOf(db) === "sqlite") return work()
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock(${runningJob}, hashtext(${name})) as free`.execute(tx)
    if (rows[0]?.free) await work()
  })
}
