import { join } from "node:path"
import type { Config } from "../config.ts"
import { makeFolder, timeStamp } from "../db/data-folder.ts"
import type { Migration } from "../db/migrate.ts"
import type { Db } from "../db/schema.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import { writeBackup } from "./write.ts"

export const backupFolder = "backups"

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
    const folder = join(dataDir, backupFolder)
    const file = join(folder, `before-${first.name}-${timeStamp()}.backup`)
    try {
      await makeFolder(folder)
      await writeBackup(tx, file)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      throw new StartError(
        exitCodes.cannotWrite,
        `The store has to be brought up to date, but it cannot be backed up to ${file} first: ${code ?? message}. Nothing was changed`,
      )
    }
    tell(`backed the store up to ${file} before bringing it up to date`)
  }
}
