import type { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import type { CompiledQuery, QueryResult } from "kysely"
import { LRUCache } from "lru-cache"
import { steadyNow } from "./clock.ts"
import { isBusy } from "./faults.ts"
import { createLockPause } from "./lock-pause.ts"

/** One connection to the file. A statement runs on this thread, and nothing else does until it has ended. */
export interface SqliteConnection {
  database: DatabaseSync
  run<Row>(query: CompiledQuery): QueryResult<Row>
}

const maxCachedStatements = 300
/** Bulk writes make long statements of many lengths. Each keeps the values that were bound to it last. */
const maxCachedLongStatements = 8
const longSqlLength = 4_000

export function sqliteConnection(database: DatabaseSync, pause = createLockPause()): SqliteConnection {
  const shortStatements = new LRUCache<string, ReturnType<typeof prepare>>({ max: maxCachedStatements })
  const longStatements = new LRUCache<string, ReturnType<typeof prepare>>({ max: maxCachedLongStatements })
  return {
    database,
    run<Row>(query: CompiledQuery) {
      // A transaction that is open must be able to end.
      return pause(() => runNow<Row>(query), database.isTransaction)
    },
  }

  function runNow<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const { statement, columns } = prepared(sql)
    const values = parameters as Parameters<typeof statement.all>
    if (columns.length > 0) return { rows: toObjects(columns, statement.all(...values)) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] }
  }

  function prepared(sql: string) {
    const cache = sql.length > longSqlLength ? longStatements : shortStatements
    const cached = cache.get(sql)
    if (cached !== undefined) return cached
    const statement = prepare(sql)
    cache.set(sql, statement)
    return statement
  }

  function prepare(sql: string) {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return { statement, columns: statement.columns().map(({ name }) => name) }
  }
}

/**
 * The driver's own objects are hash tables. These have a shape that V8 knows: 40,000 of them are made in two thirds of the
 * time, and read in a tenth.
 */
function toObjects(columns: readonly string[], rows: readonly Record<number, unknown>[]): object[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at++) row[columns[at] as string] = values[at]
    return row
  })
}

/** About as long as other processes hold the lock for one write. */
const longestPauseMs = 10

/**
 * Runs a statement again and again until no other process has the file locked. SQLite could wait by itself, but it would
 * stop this thread, and with it every other request.
 */
export async function onceUnlocked<Result>(deadline: number, run: () => Result): Promise<Result> {
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error) || steadyNow() >= deadline) throw error
    }
    // A random pause, so that two processes that wait do not ask at the same moments.
    await sleep(pauseMs * (0.5 + Math.random()))
  }
}
