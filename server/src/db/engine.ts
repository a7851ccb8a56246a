import { PostgresAdapter } from "kysely"
import type { Db, Engine } from "./schema.ts"

/** Asked of the query builder itself, so that it never has to be passed along. */
export function engineOf(db: Pick<Db, "getExecutor">): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? "postgres" : "sqlite"
}
