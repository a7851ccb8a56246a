import type { ChangeFeed, FeedListener } from "./change-feed.ts"
import { steadyNow } from "./clock.ts"

const checkIntervalMs = 200

/** Notices other processes on the same file by the file's version, which is so cheap to ask that every read does. */
export function sqliteFeed(dataVersion: () => number, listener: FeedListener): ChangeFeed {
  let lastVersion: number | undefined = dataVersion()
  let lastInSyncAt = steadyNow()
  const check = () => {
    const version = readVersion(dataVersion)
    const changed = version !== lastVersion
    if (version === undefined && changed) listener.databaseIs?.("down")
    if (version !== undefined && lastVersion === undefined) listener.databaseIs?.("back")
    lastVersion = version
    if (version === undefined) return
    if (changed) listener.mayHaveMissedChanges(lastInSyncAt)
    lastInSyncAt = steadyNow()
  }
  // Requests that arrive in the same turn of the event loop share one check.
  let checkedThisTurn = false
  const endTurn = () => {
    checkedThisTurn = false
  }
  // For watchers, which wait for changes without reading.
  const timer = setInterval(check, checkIntervalMs).unref()
  return {
    isInSync() {
      if (!checkedThisTurn) {
        checkedThisTurn = true
        setImmediate(endTurn)
        check()
      }
      return lastVersion !== undefined
    },
    lastInSyncAt: () => lastInSyncAt,
    reconnects: () => 0,
    notUnderstood: () => 0,
    isDatabaseDown: () => lastVersion === undefined,
    close: async () => clearInterval(timer),
  }
}

/** Undefined while the file cannot be read. */
function readVersion(dataVersion: () => number): number | undefined {
  try {
    return dataVersion()
  } catch {
    return undefined
  }
}
