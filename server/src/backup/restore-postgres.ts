import { sql } from "kysely"
import { appliedMigrations, refuseNewer } from "../db/migrator.ts"
import { keepServersOut, waitForTurn } from "../db/postgres-locks.ts"
import type { Db } from "../db/schema.ts"
import { tables } from "../db/tables.ts"
import { inTransaction } from "../db/transaction.ts"
import { fillStore, highestGiven } from "./fill.ts"
import { holdsSomething, isRunning, type Restored, type RestoreSource, wouldOverwrite } from "./refusals.ts"

/** One transaction: if it fails at any point, everything stays as it was. */
export function restorePostgres(db: Db, source: RestoreSource): Promise<Restored> {
  return inTransaction(db, async (tx) => {
    if (!(await keepServersOut(tx))) throw isRunning()
    await waitForTurn(tx)
    // An index of all versions may take longer than an operator lets a statement take.
    await sql`select set_config('statement_timeout', '0', true)`.execute(tx)
    if (!source.force && (await holdsSomething(tx))) throw wouldOverwrite("this database")
    const applied = await appliedMigrations(tx)
    // Tables that this version does not know would be left behind, in the way of the version that does.
    refuseNewer(applied)
    const highest = applied.length > 0 ? await highestGiven(tx) : 0
    const all = Object.keys(tables).map((table) => sql.table(table))
    await sql`drop table if exists ${sql.join(all)}`.execute(tx)
    return { leftOut: await fillStore(tx, source, highest) }
  })
}
