import { PostgresAdapter } from "kysely"
import type { Db, Engine } from "./schema.ts"

/** Asked of the query builder itself, so that it never has to be passed along. */
export function engineOf(db: Pick<Db, "getExecutor">): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? "postgres" : "sqlite"
}

/** True where rows are locked one by one. SQLite's write transaction locks the whole file, and it has no SQL for less. */
export function locksRows(db: Pick<Db, "getExecutor">): boolean {
  return engineOf(db) === "postgres"
}
