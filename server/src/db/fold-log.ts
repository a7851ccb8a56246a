import { sql } from "kysely"
import { engineOf } from "./engine.ts"
import type { Db } from "./schema.ts"

/**
 * After a long snapshot: moves what was written during it from SQLite's log into its file, beside the writers. Left to them,
 * the next one would do all of it within its own change, and wait.
 */
export async function foldLog(db: Db): Promise<void> {
  if (engineOf(db) === "sqlite") await sql`pragma wal_checkpoint(passive)`.execute(db)
}
