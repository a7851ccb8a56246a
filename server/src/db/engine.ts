import { PostgresAdapter } from "kysely"
import type { Db, Engine } from "./schema.ts"

/** Read from the query builder, so that the engine need not be passed along. */
export function engineOf(db: Pick<Db, "getExecutor">): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? "postgres" : "sqlite"
}

/** True where single rows can be locked. On SQLite a write transaction locks the whole file. */
export function locksRows(db: Pick<Db, "getExecutor">): boolean {
  return engineOf(db) === "postgres"
}
