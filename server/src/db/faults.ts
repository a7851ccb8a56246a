// What a database error means to us, by the codes that both drivers put on their errors, not by their messages.

const postgresDuplicate = "23505"
const postgresOrphan = "23503"
const postgresDiskFull = "53100"
const postgresTransient = new Set(["40001", "40P01"])
/** Of one lock, and of a statement that takes several. */
const postgresLockTimeouts = new Set(["55P03", "57014"])
const sqliteDuplicate = new Set([2067, 1555])
const sqliteBusy = 5
const sqliteConstraint = 19
const sqliteReadOnly = 8
/** A journal has to be rolled back first, and this connection may only read. */
const sqliteReadOnlyRollback = 776
const sqliteFull = 13
const sqliteNoRoomForIndex = 4874
const sqliteUnwritable = new Set([sqliteReadOnly, 10, sqliteFull, 14])
const sqliteDamaged = new Set([11, 26])
/** Of input and output: what is there cannot be read. The others are about writing. */
const sqliteUnreadable = new Set([266, 522, 8202, 8458])
/** Of input and output: what was written may be on the disk or not. */
const sqliteSyncFailed = new Set([1034, 1290])
/** The file system refuses locks, or keeps none. The first is a primary code. */
const sqliteProtocol = 15
const sqliteLockFailed = new Set([2058, 2314, 3594, 3850, 5130])
/** A lock, no memory, a disk that is full or cannot be written, and what this user may not do. */
const sqliteNotOfContent = new Set([3, sqliteBusy, 6, 7, sqliteProtocol, 23, ...sqliteUnwritable])

interface DriverError {
  code?: unknown
  errcode?: unknown
  message?: unknown
}

/** A unique name or e-mail is taken. */
export function isDuplicate(error: unknown): boolean {
  const { code, errcode } = driverError(error)
  return code === postgresDuplicate || sqliteDuplicate.has(Number(errcode))
}

/** Rows contradict each other: a duplicate name or id, or a missing parent. */
export function isConstraintViolation(error: unknown): boolean {
  return /^23/.test(String(driverError(error).code)) || sqlitePrimaryCode(error) === sqliteConstraint
}

/** The parent of the new row was deleted at the same moment. */
export function isOrphan(error: unknown): boolean {
  return driverError(error).code === postgresOrphan
}

/** Two transactions got in each other's way; a retry can succeed. */
export function isTransient(error: unknown): boolean {
  return postgresTransient.has(String(driverError(error).code))
}

/** Others hold what a statement has waited for, for as long as it may. */
export function isLockTimeout(error: unknown): boolean {
  return postgresLockTimeouts.has(String(driverError(error).code))
}

/** SQLite holds a number that JavaScript cannot hold. It was written by hand, because Envkeep writes none. */
export function isUnreadableNumber(error: unknown): boolean {
  return error instanceof RangeError && driverError(error).code === "ERR_OUT_OF_RANGE"
}

/** Another process has the SQLite file locked. */
export function isBusy(error: unknown): boolean {
  return sqlitePrimaryCode(error) === sqliteBusy
}

/** The database cannot be reached, or was lost during the call. */
export function isUnreachable(error: unknown): boolean {
  const { code, message } = driverError(error)
  // Another process had the file locked for longer than we wait.
  if (isBusy(error)) return true
  if (typeof code !== "string") return isLostConnection(message)
  // 08: connection exception; 57: shut down, starting up or timed out; 53: out of connections or memory; 25006: a
  // standby, which accepts no writes; 28 and 3D: it no longer accepts our login, or no longer has our database.
  return /^(08|57|53|25006|28|3D)/.test(code) || /^E(CONN|HOST|NET|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN)/.test(code)
}

/** The store cannot be read or written: the disk is full, read-only or broken. */
export function isUnwritable(error: unknown): boolean {
  const primaryCode = sqlitePrimaryCode(error)
  if (sqliteUnwritable.has(primaryCode) || primaryCode === sqliteProtocol) return true
  return driverError(error).code === postgresDiskFull
}

/** There is no space left: on the disk of the database, or where a file was to be written. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode } = driverError(error)
  if (code === postgresDiskFull || code === "ENOSPC" || code === "EDQUOT") return true
  // Beside its file, SQLite needs a little room to open it.
  return sqlitePrimaryCode(error) === sqliteFull || Number(errcode) === sqliteNoRoomForIndex
}

/** SQLite cannot open its file because of what is in it. The message is SQLite's own. */
export class DamagedFileError extends Error {
  override name = "DamagedFileError"
}

/** The SQLite file is damaged, cannot be read, or is not a database. */
export function isDamagedFile(error: unknown): boolean {
  if (error instanceof DamagedFileError || sqliteDamaged.has(sqlitePrimaryCode(error))) return true
  return sqliteUnreadable.has(sqliteCode(error))
}

/** SQLite does not write to its file: this user may not, or the file says so itself. Its extended codes are of other things. */
export function isReadOnly(error: unknown): boolean {
  return sqlitePrimaryCode(error) === sqliteReadOnly && driverError(error).errcode === sqliteReadOnly
}

/** A killed process has left half of a change, which a connection that may write undoes. */
export function isToBeRolledBack(error: unknown): boolean {
  return sqliteCode(error) === sqliteReadOnlyRollback
}

/** What stopped SQLite would do so with any file in this place. */
export function saysNothingOfContent(error: unknown): boolean {
  return sqliteNotOfContent.has(sqlitePrimaryCode(error))
}

/** The connection was lost during the commit: either the whole change was saved, or none of it. */
export class OutcomeUnknownError extends Error {
  override name = "OutcomeUnknownError"
}

/** A commit did not reach the disk for certain, but may have: SQLite finds it in its log after a crash. */
export function isSyncFailed(error: unknown): boolean {
  return sqliteSyncFailed.has(sqliteCode(error))
}

/** What was to be saved may be saved or not. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof OutcomeUnknownError || isSyncFailed(error)
}

/** SQLite has asked for a lock again and again, for ten seconds. */
export function areLocksRefused(error: unknown): boolean {
  return sqlitePrimaryCode(error) === sqliteProtocol
}

/** Files cannot be locked where the store is, as on many network file systems. */
export function isLockingBroken(error: unknown): boolean {
  return areLocksRefused(error) || sqliteLockFailed.has(sqliteCode(error))
}

/** The call cannot be finished now, whatever it asked for. */
export function isOutage(error: unknown): boolean {
  return isUnreachable(error) || isUnwritable(error) || isTransient(error) || isOutcomeUnknown(error)
}

export type Fault = "duplicate" | "orphan" | "transient" | "unreachable" | "unwritable" | "damaged" | "other"

/** One word for the log and the metrics, without anything of what was written. */
export function faultOf(error: unknown): Fault {
  if (isDuplicate(error)) return "duplicate"
  if (isOrphan(error)) return "orphan"
  if (isTransient(error)) return "transient"
  if (isUnreachable(error)) return "unreachable"
  if (isUnwritable(error)) return "unwritable"
  return isDamagedFile(error) ? "damaged" : "other"
}

/** Extended result codes keep the primary one in their low byte. */
function sqlitePrimaryCode(error: unknown): number {
  return sqliteCode(error) & 0xff
}

/** The extended code. 0 for what is no error of SQLite. */
function sqliteCode(error: unknown): number {
  const { code, errcode } = driverError(error)
  return code === "ERR_SQLITE_ERROR" ? Number(errcode) : 0
}

/** The driver throws these without a code, so only their messages identify them. */
function isLostConnection(message: unknown): boolean {
  return /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/.test(
    String(message),
  )
}

function driverError(error: unknown): DriverError {
  return typeof error === "object" && error !== null ? error : {}
}
