import { setTimeout as sleep } from "node:timers/promises"
import { type ControlledTransaction, type ControlledTransactionBuilder, PostgresAdapter, sql } from "kysely"
import { isTransient, isUnreachable } from "./faults.ts"
import type { Db, Engine, Schema } from "./schema.ts"

const tries = 5

export const changeChannel = "envkeep_changes"

/** What readers must no longer be served from memory: one environment, or all of a collection's. */
export type Change = ({ environmentId: number } | { collectionId: number }) & {
  /** Who is to be refused from now on, not just shown something new: all of its readers, or the holder of one key. */
  ends?: true | { keyHash: string }
}

type Listener = (changes: Change[]) => void

/** What a transaction has changed so far; kept beside it, so that rules need not hand it from call to call. */
const changedIn = new WeakMap<Db, Change[]>()
const committedOn = new WeakMap<Db, { engine: Engine; listener: Listener }>()

const retriesOn = new WeakMap<Db, number>()

/** Tells `listener`, right after each commit and before its caller knows of it, what was changed. */
export function onCommitted(db: Db, engine: Engine, listener: Listener): void {
  committedOn.set(db, { engine, listener })
}

/** Notes a change, to be told to this node and the others once the transaction has committed. */
export function announceChange(tx: Db, change: Change): void {
  const changed = changedIn.get(tx)
  if (changed === undefined) throw new Error("a change was announced outside a transaction")
  changed.push(change)
}

/** How often a transaction on this database had to be tried again. */
export function transactionRetries(db: Db): number {
  return retriesOn.get(db) ?? 0
}

/** The connection was lost while the database was committing: the whole change is there, or nothing of it is. */
export class OutcomeUnknownError extends Error {
  override name = "OutcomeUnknownError"
}

/** All or nothing. Where the engine asks for another try (a deadlock, a serialization failure), it gets one. */
export async function inTransaction<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(db, work)
    } catch (error) {
      if (!isTransient(error) || attempt === tries) throw error
      retriesOn.set(db, transactionRetries(db) + 1)
      // At different moments, or those who were in each other's way would be so again.
      await sleep(Math.random() * 20 * 2 ** attempt)
    }
  }
}

async function attemptTransaction<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  const committed = committedOn.get(db)
  const changed: Change[] = []
  const result = await ending(db.startTransaction(), commit, async (tx) => {
    changedIn.set(tx, changed)
    const outcome = await work(tx)
    // Inside the transaction: other nodes hear of the change exactly when it can be seen, and of no change that failed.
    if (changed.length > 0 && committed?.engine === "postgres") {
      await sql`select pg_notify(${changeChannel}, ${JSON.stringify(changed)})`.execute(tx)
    }
    return outcome
  })
  if (changed.length > 0) committed?.listener(changed)
  return result
}

/** Whether rows are locked one by one; SQLite's transactions lock everything, and it has no words for less. */
export function locksRows(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Several reads of one moment: what another writes meanwhile shows in all of them or in none. */
export function inSnapshot<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  if (!locksRows(db)) return readingSqlite(db, work)
  const begin = db.startTransaction().setIsolationLevel("repeatable read").setAccessMode("read only")
  return ending(begin, (tx) => tx.commit().execute(), work)
}

/** Deferred, unlike what writes: who only reads keeps nobody from writing, however long it takes. */
function readingSqlite<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await sql`begin deferred`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`rollback`.execute(connection).catch(() => undefined)
    }
  })
}

/** Not by Kysely's own `transaction()`: where undoing fails too, that would hide why the work failed. */
async function ending<Result>(
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
    // A full disk or a lost connection has already undone it; then there is nothing to roll back, and nothing to add.
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
    // An embedded store that cannot commit has said so itself.
    if (!locksRows(tx) || !isUnreachable(error)) throw error
    throw new OutcomeUnknownError("the answer to a commit was lost", { cause: error })
  }
}
