import { existsSync } from "node:fs"
import { link, mkdtemp, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { makeFolder, syncFolder, timeStamp } from "../db/data-folder.ts"
import { isDamagedFile, isUnreachable } from "../db/faults.ts"
import { openDatabase, sqliteFile } from "../db/open.ts"
import { inTransaction } from "../db/transaction.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import { fillStore, highestGiven } from "./fill.ts"
import { holdsSomething, isRunning, type Restored, wouldOverwrite } from "./refusals.ts"

/**
 * Builds the restored store beside the present one and then takes its place in one step: whatever ends this on the way
 * leaves the present one as it was. Says where the present one is kept from then on, if there was one.
 */
export async function restoreSqlite(dataDir: string, file: string, force: boolean): Promise<Restored> {
  await makeFolder(dataDir)
  const present = join(dataDir, sqliteFile)
  const given = existsSync(present) ? await lookAt(dataDir, force) : 0
  const workshop = await mkdtemp(join(dataDir, ".restore-"))
  try {
    const { db } = await openDatabase({ dataDir: workshop })
    let leftOut: number
    try {
      leftOut = await inTransaction(db, (tx) => fillStore(tx, file, given))
      await foldIntoOneFile(db)
    } finally {
      await db.destroy()
    }
    return { leftOut, aside: await takeThePlace(join(workshop, sqliteFile), dataDir) }
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

/** Refuses a store that holds something or is in use; otherwise says how far its numbers have come. */
async function lookAt(dataDir: string, force: boolean): Promise<number> {
  const { db } = await openDatabase({ dataDir }).catch((error) => {
    if (!isDamagedFile(error)) throw error
    if (!force) throw wouldOverwrite(`${join(dataDir, sqliteFile)}, which is damaged`)
    return { db: undefined }
  })
  if (db === undefined) return 0
  try {
    if (!force && (await holdsSomething(db))) throw wouldOverwrite(dataDir)
    await foldIntoOneFile(db)
    return await highestGiven(db)
  } catch (error) {
    if (isDamagedFile(error) && force) return 0
    throw error
  } finally {
    await db.destroy()
  }
}

/** SQLite does this only for the last one that has the file open, so it also tells whether a server is running on it. */
async function foldIntoOneFile(db: Parameters<typeof holdsSomething>[0]): Promise<void> {
  try {
    await sql`pragma busy_timeout = 0`.execute(db)
    await sql`pragma journal_mode = delete`.execute(db)
  } catch (error) {
    if (isUnreachable(error)) throw isRunning()
    throw error
  }
}

async function takeThePlace(restored: string, dataDir: string): Promise<string | undefined> {
  const present = join(dataDir, sqliteFile)
  if (!existsSync(present)) {
    await rename(restored, present)
    await syncFolder(dataDir)
    return undefined
  }
  const aside = `${present}.before-restore-${timeStamp()}`
  if (existsSync(aside)) throw new StartError(exitCodes.failure, `There is a file ${aside} already. Please try again`)
  // Asked again, since filling takes its time and a server may have been started meanwhile.
  await lookAt(dataDir, true)
  // What was never folded in belongs to a damaged file; beside the new one it could be taken for that one's own.
  for (const part of ["-wal", "-shm"]) {
    if (existsSync(`${present}${part}`)) await rename(`${present}${part}`, `${aside}${part}`)
  }
  await link(present, aside)
  await rename(restored, present)
  await syncFolder(dataDir)
  return aside
}
