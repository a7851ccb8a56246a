import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { openNew } from "./data-folder.ts"
import { isBusy } from "./faults.ts"

// On SQLite, one of the processes on a data folder runs the jobs that one node does for all: workers, and servers that were
// started apart. It holds SQLite's own lock on an empty file for as long as it runs. The system releases the lock when the
// process ends, however it ends, and the next one that has a job to run takes it.

export const jobLockFile = "jobs.lock"

export interface JobLock {
  /** Whether this process runs the jobs. If no process does, it does from now on. */
  isMine(): Promise<boolean>
  close(): void
}

export function createJobLock(dataDir: string): JobLock {
  let opening: Promise<DatabaseSync> | undefined
  let database: DatabaseSync | undefined
  let isClosed = false

  async function open(): Promise<DatabaseSync> {
    const { DatabaseSync } = await import("node:sqlite")
    await makeFile(dataDir)
    database = new DatabaseSync(join(dataDir, jobLockFile), { timeout: 0 })
    return database
  }

  return {
    async isMine() {
      if (isClosed) return false
      opening ??= open()
      const opened = await opening.catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opened.isTransaction || takes(opened)
    },
    close() {
      isClosed = true
      if (database?.isOpen) database.close()
    },
  }
}

/** SQLite would make it as a file of this process's user. */
async function makeFile(dataDir: string): Promise<void> {
  try {
    const file = await openNew(join(dataDir, jobLockFile), [dataDir])
    await file.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

function takes(database: DatabaseSync): boolean {
  try {
    // Nothing is ever written, so there is nothing that a journal on the disk would be for.
    database.exec("pragma journal_mode = memory; begin exclusive")
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}
