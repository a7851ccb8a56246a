import { stat } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { engineOf } from "./engine.ts"
import { sqliteFile } from "./open.ts"
import type { Db } from "./schema.ts"

/**
 * After a long snapshot: moves what was written during it from SQLite's log into its file, beside the writers. Left to them,
 * the next one would do all of it within its own change, and wait.
 */
export async function foldLog(db: Db): Promise<void> {
  if (engineOf(db) === "sqlite") await sql`pragma wal_checkpoint(passive)`.execute(db)
}

/** Whether a process has written to the SQLite store in this folder since then. */
export async function isWrittenSince(dataDir: string, timeMs: number): Promise<boolean> {
  const log = await stat(join(dataDir, `${sqliteFile}-wal`)).catch(() => undefined)
  return log !== undefined && log.mtimeMs > timeMs
}
