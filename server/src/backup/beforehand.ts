import { readdir, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Config } from "../config.ts"
import { makeFolder, timeStamp } from "../db/data-folder.ts"
import { isDamagedFile, isDiskFull } from "../db/faults.ts"
import { givePathToOwnerOf } from "../db/file-owner.ts"
import type { Migration } from "../db/migrate.ts"
import { sqliteFile } from "../db/open.ts"
import type { Db } from "../db/schema.ts"
import { makeRoom } from "../start/to-start-error.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { readBackup } from "./read.ts"
import { hashOfBackup, writeBackup } from "./write.ts"

export const backupFolder = "backups"

/** As this names its files. The first part is the version of the store: the first migration that it lacks. */
const finishedName = /^before-(.+)-\d{8}T\d{6}Z\.backup$/
/** What this has not finished. No person names a file like that. */
const unfinishedName = /^before-.+-\d{8}T\d{6}Z\.backup\.unfinished-[0-9a-f]{12}$/

type Tell = (line: string) => void

/**
 * Backs the embedded store up before its tables are changed, and says where. A PostgreSQL database is left to its own
 * administrator: it may be too large for this, and on another machine.
 *
 * An upgrade that fails is tried again and again. So a backup that holds exactly what the store holds is not written again.
 * If there has to be another one of the same version, because people went on with the old version in between, the first
 * and the last one are kept.
 */
export function backupBeforehand({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">, tell: Tell) {
  return async (tx: Db, [first]: readonly Migration[]): Promise<void> => {
    if (databaseUrl !== undefined || first === undefined) return
    const folder = join(dataDir, backupFolder)
    const file = join(folder, `before-${first.name}-${timeStamp()}.backup`)
    try {
      await deleteUnfinished(folder)
      const earlier = await compareWithEarlier(tx, await namesOf(folder, first), tell)
      if (earlier.isSame) return
      await makeBackup(tx, dataDir, file, tell)
      await deleteBetween(earlier.complete)
    } catch (error) {
      throw cannotBackUp(file, error as NodeJS.ErrnoException)
    }
  }
}

/** What starts that were killed have left. No other process is writing one: this one holds the store's write lock. */
async function deleteUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => unfinishedName.test(one))) await rm(join(folder, name), { force: true })
}

/** The backups of this version of the store, the oldest first. */
async function namesOf(folder: string, first: Migration): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => finishedName.exec(name)?.[1] === first.name)
    .toSorted()
    .map((name) => join(folder, name))
}

/** Whether one of these holds what the store holds. If not, also which of them are complete. */
async function compareWithEarlier(
  tx: Db,
  files: readonly string[],
  tell: Tell,
): Promise<{ isSame: boolean; complete: string[] }> {
  const complete: string[] = []
  for (const file of files.toReversed()) {
    tell(`comparing the store with ${file}`)
    // One that was cut short or changed since is as good as none.
    const backup = await readBackup(file, {}).catch(() => undefined)
    if (backup === undefined) continue
    if ((await hashOfBackup(tx, backup.head.takenAt)) === backup.sha256) {
      tell(`the store is backed up in ${file} as it is now, so it is brought up to date without another backup`)
      return { isSame: true, complete }
    }
    complete.unshift(file)
  }
  return { isSame: false, complete }
}

async function makeBackup(tx: Db, dataDir: string, file: string, tell: Tell): Promise<void> {
  // Of a large store it takes minutes, in which the server does not answer yet.
  tell(`backing the store up to ${file}`)
  const folder = dirname(file)
  await makeFolder(folder)
  // If it stayed root's, a later start by the owner of the store could write no backup.
  await givePathToOwnerOf([join(dataDir, sqliteFile), dataDir], folder)
  await writeBackup(tx, file, [folder])
  tell(`backed the store up to ${file} before bringing it up to date`)
}

/** Without this, an upgrade that fails and a return to the old version could fill the disk in turn. */
async function deleteBetween(complete: readonly string[]): Promise<void> {
  // What stays only takes space, which must not stop the upgrade.
  for (const file of complete.slice(1)) await rm(file, { force: true }).catch(() => undefined)
}

function cannotBackUp(file: string, error: NodeJS.ErrnoException): StartError {
  const isFull = isDiskFull(error)
  // The code is the cause where a system call failed. All errors of SQLite have the same one.
  const cause = error.syscall === undefined ? error.message : error.code
  return new StartError(
    isDamagedFile(error) ? exitCodes.damaged : exitCodes.cannotWrite,
    `The store has to be brought up to date, but it cannot be backed up to ${file} first: ${isFull ? "the disk is full" : cause}. Nothing was changed${isFull ? `; ${makeRoom}` : ""}`,
  )
}
