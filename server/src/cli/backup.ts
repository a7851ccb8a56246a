import { inWords } from "../backup/format.ts"
import { writeBackup } from "../backup/write.ts"
import { appliedMigrations, refuseNewer } from "../db/migrate.ts"
import type { OpenDatabase } from "../db/open.ts"
import { inSnapshot } from "../db/transaction.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import type { CommandResult } from "./admin.ts"

export const backupUsage = "usage: npm run backup -- <file>"

/** Writes the store as it is at this moment into a file, while the server goes on. */
export async function backupCommand({ db }: OpenDatabase, args: string[]): Promise<CommandResult> {
  const [file, ...rest] = args
  if (file === undefined || file.startsWith("-") || rest.length > 0) {
    return { exitCode: exitCodes.misuse, out: [], err: [backupUsage] }
  }
  const rows = await inSnapshot(db, async (snapshot) => {
    const applied = await appliedMigrations(snapshot)
    if (applied.length === 0)
      throw new StartError(exitCodes.failure, "There is no store here yet. Start Envkeep once first")
    refuseNewer(applied)
    return writeBackup(snapshot, file).catch((error) => {
      throw notWritten(file, error)
    })
  })
  return {
    exitCode: 0,
    out: [
      `Backed up ${inWords(rows)} to ${file}`,
      "The root key is not in it: keep a copy of it somewhere else, without it the backup cannot be read",
    ],
    err: [],
  }
}

export function notWritten(file: string, error: NodeJS.ErrnoException): unknown {
  if (error.code === "EEXIST") {
    return new StartError(exitCodes.failure, `There is a file ${file} already. Give another name; nothing was written`)
  }
  if (error.syscall === undefined) return error
  return new StartError(exitCodes.cannotWrite, `The backup ${file} cannot be written: ${error.code}`)
}
