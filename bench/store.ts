import { randomBytes } from "node:crypto"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDatabase, sqliteFile } from "@envkeep/server/db/open.ts"
import type { Db } from "@envkeep/server/db/schema.ts"
import { sql } from "kysely"
import { openBare } from "./bare-driver.ts"
import type { Bench } from "./bench.ts"
import type { Engine } from "./engines.ts"

/** Where one server keeps its data: a new folder and, on PostgreSQL, a new database. */
export interface StoreLocation {
  engine: Engine
  dataDir: string
  databaseUrl: string | undefined
}

export async function newStoreLocation(
  bench: Pick<Bench, "cleanup" | "postgres">,
  engine: Engine,
): Promise<StoreLocation> {
  const dataDir = await freshFolder(bench)
  if (engine === "sqlite") return { engine, dataDir, databaseUrl: undefined }

  const server = await bench.postgres()
  const name = `bench_${randomBytes(8).toString("hex")}`
  await onServer(server, `create database ${name}`)
  bench.cleanup.later(() => onServer(server, `drop database ${name} with (force)`))
  const url = new URL(server)
  url.pathname = `/${name}`
  return { engine, dataDir, databaseUrl: url.href }
}

export async function freshFolder({ cleanup }: Pick<Bench, "cleanup">): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envkeep-bench-"))
  cleanup.later(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** What one statement on a PostgreSQL server returns. */
export async function onServer(databaseUrl: string, statement: string): Promise<Record<string, unknown>[]> {
  const { query, close } = await openBare({ dataDir: "", databaseUrl })
  try {
    return await query(statement)
  } finally {
    await close()
  }
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

/** How many connections to its database are open; none on SQLite. */
export async function connectionsTo({ databaseUrl }: Pick<StoreLocation, "databaseUrl">): Promise<number> {
  if (databaseUrl === undefined) return 0
  const others = "datname = current_database() and pid <> pg_backend_pid()"
  const [row] = await onServer(databaseUrl, `select count(*) as count from pg_stat_activity where ${others}`)
  return Number(row?.["count"])
}
