import { randomBytes } from "node:crypto"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { openDatabase, sqliteFile } from "@envkeep/server/db/open.ts"
import type { Db } from "@envkeep/server/db/schema.ts"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import { sql } from "kysely"
import pg from "pg"
import type { Bench, Cleanup } from "./bench.ts"
import type { Engine } from "./options.ts"

export async function newStoreLocation(bench: Bench, engine: Engine): Promise<StoreLocation> {
  const dataDir = await freshFolder(bench.cleanup)
  if (engine === "sqlite") return { dataDir, databaseUrl: undefined }

  const server = await bench.postgres()
  const name = `bench_${randomBytes(8).toString("hex")}`
  await onServer(server, `create database ${name}`)
  bench.cleanup.defer(async () => void (await onServer(server, `drop database ${name} with (force)`)))
  const url = new URL(server)
  url.pathname = `/${name}`
  return { dataDir, databaseUrl: url.href }
}

export async function freshFolder(cleanup: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envkeep-bench-"))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Works on a store in which no server runs. Afterwards it is like one in use for some time: statistics are known. */
export async function inStore(
  { databaseUrl: url, dataDir }: StoreLocation,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  const { db } = await openDatabase({ url, dataDir, queryTimeoutMs: 0 })
  await work(db)
  await (url === undefined ? sql`pragma wal_checkpoint(truncate)` : sql`vacuum analyze`).execute(db)
  await db.destroy()
}

/** What a store takes on disk. */
export async function storeBytes({ dataDir, databaseUrl }: StoreLocation): Promise<number> {
  if (databaseUrl === undefined) return (await stat(join(dataDir, sqliteFile))).size
  const [row] = await onServer(databaseUrl, "select pg_database_size(current_database()) as bytes")
  return Number(row?.["bytes"])
}

/** How many connections to a database are open; none on SQLite. */
export async function connectionsTo(databaseUrl: string | undefined): Promise<number> {
  if (databaseUrl === undefined) return 0
  const others = "datname = current_database() and pid <> pg_backend_pid()"
  const [row] = await onServer(databaseUrl, `select count(*) as count from pg_stat_activity where ${others}`)
  return Number(row?.["count"])
}

export type Cell = string | number | null | Uint8Array
export type Row = Record<string, Cell>

/** Statements straight to the engine, with the same durability as the product's. Parameters are `?1`, `?2` and so on. */
export interface BareDriver {
  isSqlite: boolean
  query(text: string, parameters?: readonly (Cell | readonly Cell[])[]): Promise<Record<string, unknown>[]>
  /** Inserts rows that all have the columns of the first one: on PostgreSQL as one set, where row by row takes much longer. */
  insert(table: string, rows: Row[], onConflict?: string): Promise<void>
  close(): Promise<void>
}

/** What one statement on a PostgreSQL server returns. */
export async function onServer(databaseUrl: string, statement: string): Promise<Record<string, unknown>[]> {
  const { query, close } = await openPostgres(databaseUrl)
  try {
    return await query(statement)
  } finally {
    await close()
  }
}

export async function openBare({ dataDir, databaseUrl }: StoreLocation): Promise<BareDriver> {
  return databaseUrl === undefined ? openSqlite(join(dataDir, sqliteFile)) : openPostgres(databaseUrl)
}

function openSqlite(file: string): BareDriver {
  const database = new DatabaseSync(file, { timeout: 10_000 })
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")
  const statements = new Map<string, StatementSync>()
  const prepared = (text: string) => {
    const statement = statements.get(text) ?? database.prepare(text)
    statements.set(text, statement)
    return statement
  }
  return {
    isSqlite: true,
    query: async (text, parameters = []) => prepared(text).all(...(parameters as Cell[])),
    async insert(table, rows, onConflict = "") {
      const columns = Object.keys(rows[0] ?? {})
      const places = columns.map(() => "?")
      const insert = prepared(`insert into "${table}" (${columns}) values (${places}) ${onConflict}`)
      for (const row of rows) insert.run(...Object.values(row))
    },
    close: async () => database.close(),
  }
}

async function openPostgres(url: string): Promise<BareDriver> {
  const client = new pg.Client(url)
  // If the run fails, its database is stopped first. What counts is why it failed.
  client.on("error", () => undefined)
  await client.connect()
  const query: BareDriver["query"] = async (text, parameters = []) =>
    (await client.query(text.replaceAll("?", "$"), [...parameters])).rows
  const typesOf = new Map<string, Promise<Map<unknown, unknown>>>()
  const typesIn = async (table: string) => {
    const columns = "select column_name, data_type from information_schema.columns where table_name = ?1"
    return new Map((await query(columns, [table])).map((row) => [row["column_name"], row["data_type"]]))
  }
  return {
    isSqlite: false,
    query,
    async insert(table, rows, onConflict = "") {
      const known = typesOf.get(table) ?? typesIn(table)
      typesOf.set(table, known)
      const types = await known
      const columns = Object.keys(rows[0] ?? {})
      const sets = columns.map((column, at) => `?${at + 1}::${types.get(column)}[]`)
      const insert = `insert into "${table}" (${columns}) select * from unnest(${sets}) ${onConflict}`
      await query(
        insert,
        columns.map((column) => rows.map((row) => row[column] ?? null)),
      )
    },
    close: () => client.end(),
  }
}
