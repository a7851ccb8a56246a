import { stat } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { engineOf } from "./engine.ts"
import { isUnreachable } from "./faults.ts"
import { sqliteFile } from "./open.ts"
import type { Db } from "./schema.ts"
import { inSnapshot } from "./transaction.ts"

// SQLite's log grows as long as a snapshot is read. Left to the writers, the next one would move all of it into the file
// within its own change, and wait. So a command that reads for long does it, beside them.

/**
 * Reads for long as of one moment. Then folds the log, also if reading failed: by `fold`, if the connection that reads cannot
 * write.
 */
export async function inLongSnapshot<Result>(
  db: Db,
  read: (snapshot: Db) => Promise<Result>,
  fold?: () => Promise<void>,
): Promise<Result> {
  try {
    return await inSnapshot(db, async (snapshot) => {
      try {
        return await read(snapshot)
      } finally {
        // It opens the store, and can move only what is older than the snapshot. Without it, the next writer would be faster.
        await fold?.()
      }
    })
  } finally {
    await (fold === undefined ? foldLog(db) : fold())
  }
}

/** So little is folded by writers all the time. */
const writersPages = 1_000
/** A writer that is faster than this must not keep it for ever. */
const maxRounds = 10

/** Never fails: what is not folded is left to the next writer, and that one says if it cannot. */
async function foldLog(db: Db): Promise<void> {
  if (engineOf(db) !== "sqlite") return
  // To fold a long log takes seconds. What others write in that time would be left to the next of them, so it is folded too.
  let before = 0
  for (let round = 0; round < maxRounds; round++) {
    const folded = await foldOnce(db).catch(() => 0)
    if (folded < before + writersPages) return
    before = folded
  }
}

/** How many pages of the log are folded now. */
async function foldOnce(db: Db): Promise<number> {
  const { rows } = await sql<{ checkpointed: number }>`pragma wal_checkpoint(passive)`.execute(db)
  return rows[0]?.checkpointed ?? 0
}

/** Ends the use of a log. False if another process has the file open: then SQLite does not, so a server may be running. */
export async function foldIntoOneFile(db: Db): Promise<boolean> {
  try {
    await sql`pragma journal_mode = delete`.execute(db)
    return true
  } catch (error) {
    if (isUnreachable(error)) return false
    throw error
  }
}

/** Whether another process has the file open. */
export async function isOpenElsewhere(db: Db): Promise<boolean> {
  if (!(await foldIntoOneFile(db))) return true
  await sql`pragma journal_mode = wal`.execute(db)
  return false
}

interface StoreAccess {
  config: { dataDir: string; databaseUrl: string | undefined }
  /** Opens the store for writing. */
  openStore(): Promise<{ db: Db }>
}

/**
 * For a command that opens the store to read it only. Returns what it calls after each long read: this folds the log if a
 * server has written since the command began. Elsewhere, the store is left as it is.
 */
export async function createFold({ config, openStore }: StoreAccess): Promise<() => Promise<void>> {
  const { databaseUrl, dataDir } = config
  const before = await stateOfLog(dataDir)
  let opened: Promise<{ db: Db }> | undefined
  return async () => {
    if (databaseUrl !== undefined || (await stateOfLog(dataDir)) === before) return
    opened ??= openStore()
    await opened.then(
      ({ db }) => foldLog(db),
      () => undefined,
    )
  }
}

/** Another one after a process has written to the SQLite store in this folder. */
async function stateOfLog(dataDir: string): Promise<string> {
  const log = await stat(join(dataDir, `${sqliteFile}-wal`)).catch(() => undefined)
  // A reader makes the file too, and leaves it empty.
  return log === undefined || log.size === 0 ? "none" : `${log.size} bytes at ${log.mtimeMs}`
}
