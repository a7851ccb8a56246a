import { readdir, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Config } from "../config.ts"
import { makeFolder, timeStamp } from "../db/data-folder.ts"
import { isDamagedFile } from "../db/faults.ts"
import { givePathToOwnerOf } from "../db/file-owner.ts"
import type { Migration } from "../db/migrate.ts"
import { sqliteFile } from "../db/open.ts"
import type { Db } from "../db/schema.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import { writeBackup } from "./write.ts"

export const backupFolder = "backups"

/** As this names what it has not finished, and no person names a file. */
const unfinishedName = /^before-.+-\d{8}T\d{6}Z\.backup\.unfinished-[0-9a-f]{12}$/

/**
 * Backs the embedded store up before its tables are changed, and says where. A PostgreSQL database is left to its own
 * administrator: it may be too large for this, and on another machine.
 */
export function backupBeforehand(
  { databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">,
  tell: (line: string) => void,
) {
  return async (tx: Db, [first]: readonly Migration[]): Promise<void> => {
    if (databaseUrl !== undefined || first === undefined) return
    const file = join(dataDir, backupFolder, `before-${first.name}-${timeStamp()}.backup`)
    // Of a large store it takes minutes, in which the server does not answer yet.
    tell(`backing the store up to ${file}`)
    await makeBackup(tx, dataDir, file).catch((error: NodeJS.ErrnoException) => {
      // The code is the cause where a system call failed. All errors of SQLite have the same one.
      const cause = error.syscall === undefined ? error.message : error.code
      throw new StartError(
        isDamagedFile(error) ? exitCodes.damaged : exitCodes.cannotWrite,
        `The store has to be brought up to date, but it cannot be backed up to ${file} first: ${cause}. Nothing was changed`,
      )
    })
    tell(`backed the store up to ${file} before bringing it up to date`)
  }
}

async function makeBackup(tx: Db, dataDir: string, file: string): Promise<void> {
  const folder = dirname(file)
  await makeFolder(folder)
  // If it stayed root's, a later start by the owner of the store could write no backup.
  await givePathToOwnerOf([join(dataDir, sqliteFile), dataDir], folder)
  await deleteUnfinished(folder)
  await writeBackup(tx, file, [folder])
}

/** What starts that were killed have left. No other process is writing one: this one holds the store's write lock. */
async function deleteUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder)
  for (const name of names.filter((one) => unfinishedName.test(one))) await rm(join(folder, name), { force: true })
}
