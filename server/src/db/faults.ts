/** What a database error means to us. Both drivers put a code on their errors; nothing here reads their words. */

const postgresDuplicate = "23505"
const postgresOrphan = "23503"
const postgresDiskFull = "53100"
const postgresTransient = new Set(["40001", "40P01"])
const sqliteDuplicate = new Set([2067, 1555])
/** Another process held the file for longer than we wait. */
const sqliteBusy = 5
const sqliteConstraint = 19
const sqliteUnwritable = new Set([8, 10, 13, 14])
const sqliteDamaged = new Set([11, 26])

interface DriverError {
  code?: unknown
  errcode?: unknown
  message?: unknown
}

/** A unique name or address is taken. */
export function isDuplicate(error: unknown): boolean {
  const { code, errcode } = driverError(error)
  return code === postgresDuplicate || sqliteDuplicate.has(Number(errcode))
}

/** The rows do not go together: a name or an id twice, or something missing. */
export function isContradiction(error: unknown): boolean {
  return /^23/.test(String(driverError(error).code)) || sqlitePrimaryCode(error) === sqliteConstraint
}

/** What the new row belongs to was deleted at the same moment. */
export function isOrphan(error: unknown): boolean {
  return driverError(error).code === postgresOrphan
}

/** Two transactions got in each other's way; the same one again will do. */
export function isTransient(error: unknown): boolean {
  return postgresTransient.has(String(driverError(error).code))
}

/** The database cannot be reached, or went away on the way. */
export function isUnreachable(error: unknown): boolean {
  const { code, message } = driverError(error)
  if (sqlitePrimaryCode(error) === sqliteBusy) return true
  if (typeof code !== "string") return isLostConnection(message)
  // 08: connection exception; 57: shut down, starting up or timed out; 53: out of connections or memory; 25006: a
  // standby, which takes no writes; 28 and 3D: it no longer lets us in, or no longer has our database.
  return /^(08|57|53|25006|28|3D)/.test(code) || /^E(CONN|HOST|NET|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN)/.test(code)
}

/** The store cannot be read or written: the disk is full, read-only or broken. */
export function isUnwritable(error: unknown): boolean {
  return sqliteUnwritable.has(sqlitePrimaryCode(error)) || driverError(error).code === postgresDiskFull
}

/** The embedded store's file is not a store, or no longer a whole one. */
export function isDamagedFile(error: unknown): boolean {
  return sqliteDamaged.has(sqlitePrimaryCode(error))
}

export type Fault = "duplicate" | "orphan" | "transient" | "unreachable" | "unwritable" | "damaged" | "other"

/** One word for what went wrong, which says nothing of what was written. */
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
  const { code, errcode } = driverError(error)
  return code === "ERR_SQLITE_ERROR" ? Number(errcode) & 0xff : 0
}

/** The driver throws these without a code, so here alone its words are read. */
function isLostConnection(message: unknown): boolean {
  return /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/.test(
    String(message),
  )
}

function driverError(error: unknown): DriverError {
  return typeof error === "object" && error !== null ? error : {}
}
