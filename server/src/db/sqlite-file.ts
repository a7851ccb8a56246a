import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import {
  DamagedFileError,
  isBusy,
  isDamagedFile,
  isReadOnly,
  isToBeRolledBack,
  saysNothingOfContent,
} from "./faults.ts"

/** Longer than another process needs for its largest change. */
export const defaultLockWaitMs = 10_000

/** What SQLite keeps beside its file while the file is in use, or after a crash. */
export const sqliteCompanions = ["-wal", "-shm", "-journal"]

/**
 * Opens the file and looks into it, so that a damaged one is found here and not by the first statement. Once more, if that
 * fails: a disk may fail to read once, and SQLite says of that what it says of damage.
 */
export async function openSqliteFile(file: string, options: { readOnly: boolean }): Promise<DatabaseSync> {
  const sqlite = await import("node:sqlite")
  try {
    return openOnce(sqlite, file, options)
  } catch (error) {
    if (isToBeRolledBack(error)) rollBack(sqlite, file)
    else if (!(error instanceof DamagedFileError)) throw error
    return openOnce(sqlite, file, options)
  }
}

/** What a killed process had not finished to write. SQLite undoes it, which it does not do where it may only read. */
function rollBack(sqlite: typeof import("node:sqlite"), file: string): void {
  const database = new sqlite.DatabaseSync(file, { timeout: defaultLockWaitMs })
  try {
    readSchema(database)
  } finally {
    database.close()
  }
}

function openOnce(
  sqlite: typeof import("node:sqlite"),
  file: string,
  { readOnly }: { readOnly: boolean },
): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(file, { timeout: defaultLockWaitMs, readOnly })
    prepare(database, readOnly)
    return database
  } catch (error) {
    database?.close()
    throw isOfContent(error, file) ? new DamagedFileError((error as Error).message, { cause: error }) : error
  }
}

function prepare(database: DatabaseSync, readOnly: boolean): void {
  // FULL, not NORMAL: with NORMAL a power cut can undo a write that was already acknowledged.
  if (!readOnly) database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")
  // What is erased or deleted for good is overwritten in the file too.
  if (!readOnly) database.exec("pragma secure_delete = on")
  readSchema(database)
  // Nothing else goes on while the file is opened. From here on, SQLite must not stop the thread to wait.
  database.exec("pragma busy_timeout = 0")
}

/** With the header. */
function readSchema(database: DatabaseSync): void {
  database.prepare("select count(*) from sqlite_schema").get()
}

function isOfContent(error: unknown, file: string): boolean {
  if (isDamagedStore(error, file)) return true
  // SQLite says the same of what it has no right to open.
  if (["", ...sqliteCompanions].some((part) => isNoFile(`${file}${part}`))) return true
  return (error as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR" && !saysNothingOfContent(error)
}

/** Whether it is what the file holds that makes a statement on it fail. */
export function isDamagedStore(error: unknown, file: string): boolean {
  // SQLite takes a file for read-only if the number of its format is unknown.
  return isDamagedFile(error) || (isReadOnly(error) && mayBeWritten(file))
}

/**
 * Whether the file is whole, and can be written unless it is opened to be read. This takes as long as the file is large.
 * What another process has locked is not known to be damaged.
 */
export async function isWhole(file: string, { readOnly }: { readOnly: boolean }): Promise<boolean> {
  try {
    const database = await openSqliteFile(file, { readOnly })
    try {
      // A format that SQLite knows how to read and not how to write is noticed only by a change.
      if (!readOnly) database.exec("begin immediate; create table written (once); rollback")
      return database.prepare("pragma integrity_check(1)").get()?.["integrity_check"] === "ok"
    } finally {
      database.close()
    }
  } catch (error) {
    return isBusy(error)
  }
}

/** By this user. */
export function mayBeWritten(file: string): boolean {
  const companions = sqliteCompanions.map((part) => `${file}${part}`).filter((path) => existsSync(path))
  try {
    for (const path of [dirname(file), file, ...companions]) accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function isNoFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false
}
