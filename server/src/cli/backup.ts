import { dirname } from "node:path"
import { theServer } from "../access/caller.ts"
import { recordEvent } from "../audit/record.ts"
import { inWords } from "../backup/format.ts"
import { writeBackup } from "../backup/write.ts"
import type { Config } from "../config.ts"
import { isUnreachable } from "../db/faults.ts"
import { haveOneOwner } from "../db/file-owner.ts"
import { inLongSnapshot } from "../db/fold-log.ts"
import { migrations } from "../db/migrations/list.ts"
import { appliedMigrations, refuseNewer } from "../db/migrator.ts"
import type { Db } from "../db/schema.ts"
import { inTransaction } from "../db/transaction.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { defineCommand, MisuseError } from "./command.ts"
import { success } from "./command-result.ts"

/** Writes the store as it is at this moment into a file, while the server keeps running. */
export const backupCommand = defineCommand({
  name: "backup",
  summary: "Writes the store as it is now into a new file. The server may keep running",
  usage: "npm run backup -- <file>",
  help: ["<file>  where to write it; an existing file is never overwritten"],
  options: {},
  async run(context, _, [name, ...rest]) {
    if (name === undefined || rest.length > 0) throw new MisuseError()
    const file = context.absolutePath(name)
    const { db } = await context.openStore()
    const rows = await inLongSnapshot(db, async (snapshot) => {
      const applied = await appliedMigrations(snapshot)
      if (applied.length === 0) {
        throw new StartError(exitCodes.failure, "There is no store here yet. Start Envkeep once first")
      }
      refuseNewer(applied)
      return writeBackup(snapshot, file, await modelsOf(file, context.config)).catch((error) => {
        throw whyNotWritten(file, error, context.config)
      })
    })
    const out = [
      `Backed up ${inWords(rows)} to ${file}`,
      "The root key is not in it: keep a copy of it somewhere else, without it the backup cannot be read",
    ]
    return success(out, await recordBackup(db))
  },
})

/**
 * So that the activity shows who has a copy of everything, and every node when the last one was made. The backup is good
 * without it: it may be of a standby, or of a store whose disk is full. Tables of an earlier version have no place for it.
 */
async function recordBackup(db: Db): Promise<string[]> {
  if ((await appliedMigrations(db)).length < migrations.length) return []
  try {
    await inTransaction(db, (tx) => recordEvent(tx, { caller: theServer, action: "store.backup", subject: {} }))
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [`The backup is complete, but the store could not be told, so the metrics do not know of it: ${reason}`]
  }
}

/**
 * In a folder of the user who owns the data folder, the backup is that user's, who may have to restore it. Anywhere else it
 * stays with who runs this: with root, no one else gets to read it.
 */
async function modelsOf(file: string, { dataDir }: Config): Promise<string[]> {
  const folder = dirname(file)
  return (await haveOneOwner(folder, dataDir)) ? [folder] : []
}

function whyNotWritten(file: string, error: NodeJS.ErrnoException, { databaseUrl }: Config): unknown {
  if (error.code === "EEXIST") {
    return new StartError(exitCodes.failure, `There is a file ${file} already. Give another name; nothing was written`)
  }
  // A broken connection to the database is a failed system call too, but has nothing to do with the file.
  const isOfFile = error.syscall !== undefined && (databaseUrl === undefined || !isUnreachable(error))
  if (!isOfFile) return error
  return new StartError(exitCodes.cannotWrite, `The backup ${file} cannot be written: ${error.code}`)
}
