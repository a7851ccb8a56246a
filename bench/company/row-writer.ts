import { join } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { sqliteFile } from "@envkeep/server/db/open.ts"
import pg from "pg"
import type { StoreLocation } from "../store-location.ts"

export type Cell = string | number | null | Uint8Array

/** Writes rows straight into the tables, millions in minutes. A table's rows all have the columns of its first one. */
export interface RowWriter {
  add(table: string, row: Record<string, Cell>): void
  /** Waits until there is room for more. */
  settle(): Promise<void>
  end(): Promise<void>
}

export function openRowWriter({ dataDir, databaseUrl }: StoreLocation): Promise<RowWriter> {
  return databaseUrl === undefined ? onSqlite(join(dataDir, sqliteFile)) : onPostgres(databaseUrl)
}

async function onSqlite(file: string): Promise<RowWriter> {
  const database = new DatabaseSync(file)
  // If this fails in the middle, the whole file is thrown away.
  database.exec("pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off")
  database.exec("pragma cache_size = -500000; pragma locking_mode = exclusive")
  database.exec("begin")
  const inserts = new Map<string, StatementSync>()
  const insertInto = (table: string, columns: string[]) => {
    const values = columns.map(() => "?").join(", ")
    const insert = database.prepare(`insert into "${table}" (${columns.join(", ")}) values (${values})`)
    inserts.set(table, insert)
    return insert
  }
  return {
    add(table, row) {
      const insert = inserts.get(table) ?? insertInto(table, Object.keys(row))
      insert.run(...Object.values(row))
    },
    settle: async () => undefined,
    async end() {
      database.exec("commit")
      database.exec("pragma locking_mode = normal; pragma journal_mode = wal; pragma wal_checkpoint(truncate)")
      database.close()
    },
  }
}

const charactersPerCopy = 4 * 1024 * 1024
const maxWaiting = 2

async function onPostgres(url: string): Promise<RowWriter> {
  const client = new pg.Client(url)
  await client.connect()
  // Rows come in an order that suits the indexes, and refer only to rows that are written too.
  await client.query("set session_replication_role = replica; set synchronous_commit = off")
  const tables = new Map<string, { copy: string; lines: string }>()
  let waiting = 0
  let written = Promise.resolve()
  const send = (table: { copy: string; lines: string }) => {
    const { copy, lines } = table
    table.lines = ""
    waiting++
    written = written.then(async () => {
      await copyIn(client, copy, Buffer.from(lines))
      waiting--
    })
  }
  return {
    add(name, row) {
      let table = tables.get(name)
      if (table === undefined) {
        table = { copy: `copy "${name}" (${Object.keys(row).join(", ")}) from stdin`, lines: "" }
        tables.set(name, table)
      }
      table.lines += `${Object.values(row).map(cellText).join("\t")}\n`
      if (table.lines.length > charactersPerCopy) send(table)
    },
    async settle() {
      if (waiting > maxWaiting) await written
    },
    async end() {
      for (const table of tables.values()) if (table.lines !== "") send(table)
      await written
      await client.end()
    },
  }
}

/** No text that we make has a character that would need an escape. */
function cellText(cell: Cell): string {
  if (cell === null) return "\\N"
  return cell instanceof Uint8Array
    ? `\\\\x${Buffer.from(cell.buffer, cell.byteOffset, cell.length).toString("hex")}`
    : String(cell)
}

/** What a connection of `pg` has for a copy. Its types do not say so. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** One `copy ... from stdin`. The driver leaves the protocol of it to what is submitted. */
function copyIn(client: pg.Client, copy: string, content: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection: pg.Connection) => connection.query(copy),
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(content)
        connection.endCopyFrom()
      },
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    })
  })
}
