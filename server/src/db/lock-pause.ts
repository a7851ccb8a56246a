import { steadyNow } from "./clock.ts"
import { areLocksRefused } from "./faults.ts"

/** Three times as long as SQLite stops this thread, so that most of the time others are answered. */
const defaultPauseMs = 30_000

/** Runs what may need a lock on the file, or fails at once. What has its locks already is always run. */
export type LockPause = <Result>(run: () => Result, hasLocks?: boolean) => Result

/**
 * Where a file system refuses locks, SQLite stops this thread for ten seconds before it gives up. After that, nothing asks
 * for a lock until a pause has passed.
 */
export function createLockPause(pauseMs = defaultPauseMs): LockPause {
  let refused: { error: unknown; at: number } | undefined
  return (run, hasLocks = false) => {
    if (!hasLocks && refused !== undefined && steadyNow() - refused.at < pauseMs) throw refused.error
    try {
      return run()
    } catch (error) {
      if (areLocksRefused(error)) refused = { error, at: steadyNow() }
      throw error
    }
  }
}
