import { join } from "node:path"
import type { Config } from "../config.ts"
import {
  DamagedFileError,
  isBusy,
  isDiskFull,
  isLockingBroken,
  isReadOnly,
  isSyncFailed,
  isUnreachable,
  isUnwritable,
  OutcomeUnknownError,
} from "../db/faults.ts"
import { AlteredMigrationError, NewerStoreError } from "../db/migrator.ts"
import { sqliteFile } from "../db/open.ts"
import { isDamagedStore, isWhole } from "../db/sqlite-file.ts"
import { exitCodes, StartError } from "../start-error.ts"

/** What a person can do something about becomes a sentence and an exit code; anything else is a bug and stays as it is. */
export async function toStartError(error: unknown, config: Pick<Config, "databaseUrl" | "dataDir">): Promise<unknown> {
  if (error instanceof StartError) return error
  if (error instanceof NewerStoreError) {
    return new StartError(exitCodes.configuration, `${error.message}. Start that version, or restore a backup`)
  }
  if (error instanceof AlteredMigrationError) {
    const advice = "Start the version that has done this, or restore a backup"
    return new StartError(exitCodes.configuration, `${error.message}, which this version does not fit. ${advice}`)
  }
  if (error instanceof OutcomeUnknownError) {
    return new StartError(
      exitCodes.unavailable,
      "The connection to the database was lost during a commit: check whether the change was saved, then try again",
    )
  }
  // Before what can happen to files: a full disk of the database, or a connection that breaks, is no fault of the data folder.
  if (config.databaseUrl !== undefined && isDatabaseFault(error)) {
    return cannotReachDatabase(config.databaseUrl, error as Error)
  }
  const { code, message, syscall } = error as NodeJS.ErrnoException
  if (isBusy(error)) {
    const reason = "another process has been writing to it for too long. Try again later"
    return new StartError(exitCodes.unavailable, `The store in ${config.dataDir} is locked: ${reason}`)
  }
  if (isLockingBroken(error)) {
    const advice = "a network file system may not do that. Use a disk of this machine, or PostgreSQL"
    return new StartError(
      exitCodes.cannotWrite,
      `The files of the store in ${config.dataDir} cannot be locked (${message}): ${advice}`,
    )
  }
  if (isSyncFailed(error)) {
    const reason = "the disk failed while something was saved: check whether it was, then try again"
    return new StartError(exitCodes.cannotWrite, `The data folder ${config.dataDir} cannot be written: ${reason}`)
  }
  const file = join(config.dataDir, sqliteFile)
  if (isDamagedStore(error, file)) {
    if (await hasFailedOnce(error, file)) return failedOnce(config.dataDir, message)
    return new StartError(exitCodes.damaged, `The store in ${config.dataDir} cannot be opened: ${message}`)
  }
  if (isDiskFull(error)) {
    return new StartError(exitCodes.cannotWrite, `The disk of the data folder ${config.dataDir} is full: ${makeRoom}`)
  }
  if (isUnwritable(error) || isFileFault(syscall)) {
    const reason = isUnwritable(error) ? message : code
    return new StartError(exitCodes.cannotWrite, `The data folder ${config.dataDir} cannot be written: ${reason}`)
  }
  return error
}

/** Whether the disk has failed, and the store is whole when it is looked at again. */
async function hasFailedOnce(error: unknown, file: string): Promise<boolean> {
  // Opening a file has looked twice.
  if (error instanceof DamagedFileError) return false
  // SQLite opens a file to be read if the disk fails when it is opened to be written.
  return isWhole(file, { readOnly: !isReadOnly(error) })
}

function failedOnce(dataDir: string, message: string): StartError {
  const sentence = `The store in ${dataDir} could not be used (${message}), but now it can: check the disk, then try again`
  return new StartError(exitCodes.cannotWrite, sentence)
}

export const makeRoom = "free some space on it, then try again"

/** The database's own words hold no values this early. */
export function cannotReachDatabase(url: string, error: Error & { code?: string | undefined }): StartError {
  const reason = error.message || error.code || "no reason given"
  if (isDiskFull(error)) {
    return new StartError(
      exitCodes.unavailable,
      `The disk of the database at ${databaseName(url)} is full: ${makeRoom} (${reason})`,
    )
  }
  return new StartError(exitCodes.unavailable, `The database at ${databaseName(url)} cannot be used: ${reason}`)
}

/** A database's address without user and password. */
export function databaseName(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}${port && `:${port}`}${pathname}`
}

function isDatabaseFault(error: unknown): boolean {
  return isUnreachable(error) || (error as { severity?: string }).severity !== undefined
}

function isFileFault(syscall: string | undefined): boolean {
  return ["mkdir", "open", "fchown", "lchown", "link", "fsync", "write", "unlink", "rename"].includes(syscall ?? "")
}
