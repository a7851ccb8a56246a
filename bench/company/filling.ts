import { type Random, seeded } from "@envkeep/testing/crash/random.ts"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import { type BareDriver, openBare, type Row } from "../store.ts"

const rowsPerInsert = 10_000
/** Long enough ago that there is a history, and not so long that a job would remove it. */
const historyMs = 20 * 24 * 3_600_000

// On SQLite, if this fails in the middle, the whole file is thrown away. On PostgreSQL, rows come in an order that suits the
// indexes, and refer only to rows that are written too.
const begin = {
  sqlite: [
    "pragma journal_mode = off",
    "pragma synchronous = off",
    "pragma foreign_keys = off",
    "pragma cache_size = -500000",
    "pragma locking_mode = exclusive",
    "begin",
  ],
  postgres: ["set session_replication_role = replica", "set synchronous_commit = off"],
}
const end = ["commit", "pragma locking_mode = normal", "pragma journal_mode = wal", "pragma wal_checkpoint(truncate)"]

/** Writes rows straight into the tables, millions in minutes, and has what they need: ids, times and chance. */
export class Filling {
  #driver: BareDriver
  #waiting = new Map<string, Row[]>()
  #ids = new Map<string, number>()
  random: Random = seeded(1)
  now = Date.now()

  private constructor(driver: BareDriver) {
    this.#driver = driver
  }

  static async begin(location: StoreLocation): Promise<Filling> {
    const driver = await openBare(location)
    for (const statement of begin[driver.isSqlite ? "sqlite" : "postgres"]) await driver.query(statement)
    return new Filling(driver)
  }

  /** The next id of a table. */
  nextId(table: string): number {
    const id = (this.#ids.get(table) ?? 0) + 1
    this.#ids.set(table, id)
    return id
  }

  /** A time in the last weeks. */
  sometime(): number {
    return this.now - this.random.below(historyMs)
  }

  /** Up to so many of them, each once. */
  some(all: readonly number[], count: number): number[] {
    return [...new Set(Array.from({ length: count }, () => this.random.pick(all)))]
  }

  /** The first in a list come up most often. */
  skewed<One>(list: readonly One[]): One {
    return list[Math.floor((this.random.below(1_000_000) / 1_000_000) ** 2 * list.length)] as One
  }

  /** Adds a row with the next id, and returns that. A table's rows all have the columns of its first one. */
  add(table: string, row: Row): number {
    const id = this.nextId(table)
    this.put(table, { id, ...row })
    return id
  }

  put(table: string, row: Row): void {
    const rows = this.#waiting.get(table)
    if (rows === undefined) this.#waiting.set(table, [row])
    else rows.push(row)
  }

  /** Writes what has been added, if that is much. */
  async settle(least = rowsPerInsert): Promise<void> {
    for (const [table, rows] of this.#waiting) {
      if (rows.length >= least) await this.#driver.insert(table, rows.splice(0))
    }
  }

  async end(): Promise<void> {
    await this.settle(1)
    for (const statement of this.#driver.isSqlite ? end : []) await this.#driver.query(statement)
    await this.#driver.close()
  }
}
