import { isTransient } from "./faults.ts"
import type { Db } from "./schema.ts"

const tries = 5

/** All or nothing. Where the engine asks for another try (a deadlock, a serialization failure), it gets one. */
export async function inTransaction<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (!isTransient(error) || attempt === tries) throw error
    }
  }
}

/** Several reads of one moment: what another writes meanwhile shows in all of them or in none. */
export function inSnapshot<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  return db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(work)
}
