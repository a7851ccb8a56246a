import { type CompiledQuery, sql } from "kysely"
import { engineOf } from "../db/engine.ts"
import type { Db } from "../db/schema.ts"
import { storedColumns } from "../db/stored-tables.ts"
import type { Row } from "../db/table-rows.ts"
import type { KeptTable } from "../db/tables.ts"

const rowsPerInsert = 200

/** Writes rows as they come. Those of a table all have the columns of its first one. */
export interface RowWriter {
  /** Undefined if there is nothing to wait for. */
  add(table: KeptTable, row: Row): Promise<void> | undefined
  end(): Promise<void>
  /** Waits until nothing is being written, whatever comes of it. Before that, the transaction must not end. */
  settle(): Promise<void>
}

/** While some rows are written, the next ones can be read: on PostgreSQL, another process writes them. */
export function writeRows(tx: Db): RowWriter {
  const insert = engineOf(tx) === "sqlite" ? insertOnSqlite(tx) : insertOnPostgres(tx)
  let table: KeptTable | undefined
  let waiting: Row[] = []
  let written: Promise<unknown> = Promise.resolve()
  const flush = async () => {
    const [into, rows] = [table, waiting]
    waiting = []
    await written
    if (into === undefined || rows.length === 0) return
    written = insert(into, rows)
    // Told to the next one who waits for it.
    written.catch(() => undefined)
  }
  return {
    add(into, row) {
      const flushed = into !== table || waiting.length === rowsPerInsert ? flush() : undefined
      table = into
      waiting.push(row)
      return flushed
    },
    async end() {
      await flush()
      await written
    },
    async settle() {
      await written.catch(() => undefined)
    },
  }
}

type Insert = (table: KeptTable, rows: readonly Row[]) => Promise<unknown>

/** A statement for each number of rows, with a parameter for each cell. */
function insertOnSqlite(tx: Db): Insert {
  const statements = new Map<string, CompiledQuery>()
  return (table, rows) => {
    const columns = columnsOf(rows)
    const shape = JSON.stringify([table, columns, rows.length])
    // Millions of rows need few statements, so each is made once.
    const statement = statements.get(shape) ?? insertStatement(tx, table, { columns, rows: rows.length })
    statements.set(shape, statement)
    return tx.executeQuery({ ...statement, parameters: rows.flatMap((one) => columns.map((column) => one[column])) })
  }
}

function insertStatement(tx: Db, table: KeptTable, of: { columns: readonly string[]; rows: number }): CompiledQuery {
  const row = sql`(${sql.join(of.columns.map(() => null))})`
  return sql`
    insert into ${sql.table(table)} (${refs(of.columns)}) values ${sql.join(Array(of.rows).fill(row))}`.compile(tx)
}

/** A parameter for each column: PostgreSQL takes longer to read a statement with thousands of them than to insert the rows. */
function insertOnPostgres(tx: Db): Insert {
  let stored: Map<string, Map<string, string>> | undefined
  return async (table, rows) => {
    stored ??= await storedColumns(tx)
    const types = stored.get(table)
    const columns = columnsOf(rows)
    const arrays = columns.map((column) => {
      const type = types?.get(column)
      if (type === undefined) throw new Error(`there is no column ${column} in ${table}`)
      return sql`${rows.map((row) => row[column])}::${sql.id(type)}[]`
    })
    await sql`
      insert into ${sql.table(table)} (${refs(columns)}) select * from unnest(${sql.join(arrays)})`.execute(tx)
  }
}

const columnsOf = (rows: readonly Row[]) => Object.keys(rows[0] ?? {})

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))
