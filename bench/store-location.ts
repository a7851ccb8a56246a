import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Engine } from "@envkeep/server/db/schema.ts"
import pg from "pg"
import type { Bench } from "./bench.ts"

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

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}
