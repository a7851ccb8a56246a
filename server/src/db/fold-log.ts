import { sql } from "kysely"
import { engineOf } from "./engine.ts"
import { isUnreachable } from "./faults.ts"
import type { Db } from "./schema.ts"
import { inSnapshot } from "./transaction.ts"

// SQLite's log grows as long as a snapshot is read. Left to the writers, the next one would move all of it into the file
// within its own change, and wait. A backup reads for so long that it does this itself, beside them.

/** Reads for very long as of one moment. Then folds the log, also if reading failed. */
export async function inLongSnapshot<Result>(db: Db, read: (snapshot: Db) => Promise<Result>): Promise<Result> {
  try {
    return await inSnapshot(db, read)
  } finally {
    await foldLog(db)
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
