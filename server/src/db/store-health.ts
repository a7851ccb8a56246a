import { stat, statfs } from "node:fs/promises"
import { join } from "node:path"
import { type SqlBool, sql } from "kysely"
import { sqliteFile } from "./open.ts"
import type { Reader } from "./schema.ts"

// What shows early that a store will be in trouble: how much room it has, and when it was last backed up.

export interface Disk {
  /** For users other than root. */
  freeBytes: number
  totalBytes: number
}

/** The disk that a folder is on. Where PostgreSQL keeps its files cannot be seen from here. */
export async function diskOf(folder: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** What the embedded store takes, with its log. */
export async function embeddedBytes(dataDir: string): Promise<number> {
  const sizes = [sqliteFile, `${sqliteFile}-wal`].map((name) =>
    stat(join(dataDir, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** What the database takes in PostgreSQL. */
export async function databaseBytes(db: Reader): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Written as in the index `audit_event_backup`, which is used only then. */
const isBackup = sql<SqlBool>`action = 'store.backup'`

/**
 * When `npm run backup` last wrote one. Its event is in the store, so every node knows, wherever the command ran. Undefined
 * if there was none, or if the event is no longer kept.
 */
export async function lastBackupAt(db: Reader): Promise<number | undefined> {
  const row = await db
    .selectFrom("audit_event")
    .select("created_at as at")
    .where(isBackup)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst()
  return row?.at
}
