import { join } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { sqliteFile } from "@envkeep/server/db/open.ts"
import pg from "pg"

export type Cell = string | number | null | Uint8Array
type Row = Record<string, unknown>

/** Statements straight to the engine, with the same durability as the product's. Parameters are `?1`, `?2` and so on. */
export interface BareDriver {
  isSqlite: boolean
  query(text: string, parameters?: readonly (Cell | readonly Cell[])[]): Promise<Row[]>
  close(): Promise<void>
}

interface BareLocation {
  dataDir: string
  databaseUrl: string | undefined
}

export async function openBare({ dataDir, databaseUrl }: BareLocation): Promise<BareDriver> {
  return databaseUrl === undefined ? onSqlite(join(dataDir, sqliteFile)) : onPostgres(databaseUrl)
}

function onSqlite(file: string): BareDriver {
  const database = new DatabaseSync(file, { timeout: 10_000 })
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")
  const statements = new Map<string, StatementSync>()
  return {
    isSqlite: true,
    async query(text, parameters = []) {
      const statement = statements.get(text) ?? database.prepare(text)
      statements.set(text, statement)
      return statement.all(...(parameters as Cell[]))
    },
    close: async () => database.close(),
  }
}

async function onPostgres(url: string): Promise<BareDriver> {
  const client = new pg.Client(url)
  // If the run fails, its database is stopped first. What counts is why it failed.
  client.on("error", () => undefined)
  await client.connect()
  return {
    isSqlite: false,
    query: async (text, parameters = []) => (await client.query(text.replaceAll("?", "$"), [...parameters])).rows,
    close: () => client.end(),
  }
}
