import { type BareDriver, type Cell, openBare } from "../bare-driver.ts"
import type { StoreLocation } from "../store.ts"

type Row = Record<string, Cell>

/** Writes rows straight into the tables, millions in minutes. A table's rows all have the columns of its first one. */
export interface RowWriter {
  add(table: string, row: Row): void
  /** Writes what has been added, if that is much. */
  settle(): Promise<void>
  end(): Promise<void>
}

const rowsPerInsert = 10_000

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
const end = {
  sqlite: ["commit", "pragma locking_mode = normal", "pragma journal_mode = wal", "pragma wal_checkpoint(truncate)"],
  postgres: [],
}

export async function openRowWriter(location: StoreLocation): Promise<RowWriter> {
  const driver = await openBare(location)
  for (const statement of begin[location.engine]) await driver.query(statement)
  const insert = driver.isSqlite ? rowByRow : asOneSet
  const waiting = new Map<string, Row[]>()
  const write = async (least: number) => {
    for (const [table, rows] of waiting) {
      if (rows.length >= least) await insert(driver, table, rows.splice(0))
    }
  }
  return {
    add(table, row) {
      const rows = waiting.get(table)
      if (rows === undefined) waiting.set(table, [row])
      else rows.push(row)
    },
    settle: () => write(rowsPerInsert),
    async end() {
      await write(1)
      for (const statement of end[location.engine]) await driver.query(statement)
      await driver.close()
    },
  }
}

const columnsOf = ([row = {}]: Row[]) => Object.keys(row)

async function rowByRow({ query }: BareDriver, table: string, rows: Row[]): Promise<void> {
  const columns = columnsOf(rows)
  const places = columns.map((_, at) => `?${at + 1}`)
  const insert = `insert into "${table}" (${columns.join(", ")}) values (${places.join(", ")})`
  for (const row of rows) await query(insert, Object.values(row))
}

async function asOneSet({ query }: BareDriver, table: string, rows: Row[]): Promise<void> {
  const columns = columnsOf(rows).join(", ")
  const select = `select ${columns} from json_populate_recordset(null::"${table}", ?1::json)`
  await query(`insert into "${table}" (${columns}) ${select}`, [JSON.stringify(rows.map(asText))])
}

/** With the texts of `bytea`. */
function asText(row: Row): Row {
  const text = (cell: Cell) => (cell instanceof Uint8Array ? `\\x${Buffer.from(cell).toString("hex")}` : cell)
  return Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, text(cell)]))
}
