import { setTimeout as sleep } from "node:timers/promises"
import type { ControlledTransaction, ControlledTransactionBuilder } from "kysely"
import { locksRows } from "./engine.ts"
import { isTransient, isUnreachable, OutcomeUnknownError } from "./faults.ts"
import type { Db, Schema } from "./schema.ts"

const maxTries = 5

/** All or nothing. After a deadlock or a serialization failure the work runs again, up to `maxTries` times. */
export async function inTransaction<Result>(
  db: Db,
  work: (tx: Db) => Promise<Result>,
  onRetry: () => void = () => undefined,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTransactionOnce(db, work)
    } catch (error) {
      if (!isTransient(error) || tries === maxTries) throw error
      onRetry()
      // A random pause, so that two transactions that blocked each other do not collide again.
      await sleep(Math.random() * 20 * 2 ** tries)
    }
  }
}

/** The same, for callers that decide themselves whether the work runs again. */
export function inTransactionOnce<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  return runInside(db.startTransaction(), commit, work)
}

/** Several reads of the same state: a concurrent write shows in all of them or in none. It waits for no write. */
export function inSnapshot<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  const begin = db.startTransaction().setIsolationLevel("repeatable read").setAccessMode("read only")
  // There is nothing to commit. A commit on SQLite may read all the same, and what was read would be lost if that fails.
  const end = (tx: ControlledTransaction<Schema>) => (locksRows(tx) ? tx.commit() : tx.rollback()).execute()
  return runInside(begin, end, work)
}

/** Not Kysely's `transaction()`: if the rollback fails too, that hides why the work failed. */
async function runInside<Result>(
  begin: ControlledTransactionBuilder<Schema>,
  end: (tx: ControlledTransaction<Schema>) => Promise<unknown>,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  const tx = await begin.execute()
  try {
    const result = await work(tx)
    await end(tx)
    return result
  } catch (error) {
    // After a full disk or a lost connection, the database has already rolled back, and this fails.
    await tx
      .rollback()
      .execute()
      .catch(() => undefined)
    throw error
  }
}

async function commit(tx: ControlledTransaction<Schema>): Promise<void> {
  try {
    await tx.commit().execute()
  } catch (error) {
    // Only over a network can the answer get lost. SQLite always reports whether a commit failed.
    if (!locksRows(tx) || !isUnreachable(error)) throw error
    throw new OutcomeUnknownError("the answer to a commit was lost", { cause: error })
  }
}
