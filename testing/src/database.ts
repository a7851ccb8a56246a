import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Engine } from "@envkeep/server/db/schema.ts"
import pg from "pg"
import { inject, onTestFinished } from "vitest"
import { registerSecret } from "./leaks.ts"

export const engine: Engine = process.env["TEST_ENGINE"] === "postgres" ? "postgres" : "sqlite"

/** Where a store lives: its data folder and, on PostgreSQL, its database. */
export interface StoreLocation {
  dataDir: string
  databaseUrl: string | undefined
}

/** Creates an empty folder and, on PostgreSQL, an empty database. Both are removed when the test has finished. */
export async function newStoreLocation(): Promise<StoreLocation> {
  const dataDir = await mkdtemp(join(tmpdir(), "envkeep-test-"))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  if (engine === "sqlite") return { dataDir, databaseUrl: undefined }

  const name = `test_${randomBytes(8).toString("hex")}`
  await onPostgres(`create database ${name}`)
  onTestFinished(() => onPostgres(`drop database ${name} with (force)`))
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${name}`
  // A server that needs no password accepts any, so there is always a password whose leak the tests would notice.
  url.password ||= randomBytes(12).toString("hex")
  registerSecret("the database's password", url.password)
  return { dataDir, databaseUrl: url.href }
}

/** Runs a statement on the test's PostgreSQL, on a connection of its own. */
export async function onPostgres(statement: string): Promise<void> {
  const client = new pg.Client(inject("postgresUrl"))
  await client.connect()
  await client.query(statement)
  await client.end()
}
