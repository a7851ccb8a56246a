import { randomBytes } from "node:crypto"
import { copyFile, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { sqliteFile } from "@envkeep/server/db/open.ts"
import type { Engine } from "@envkeep/server/db/schema.ts"
import pg from "pg"
import { inject, onTestFinished } from "vitest"
import { registerSecret } from "./leaks.ts"
import { scratchFolder } from "./machine/scratch.ts"
import type { StoreLocation } from "./store-location.ts"

export type { StoreLocation } from "./store-location.ts"

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string
    /** A database, or SQLite's file, with all tables and no rows. It is made once for a test run. */
    migratedDatabase: string
    migratedFile: string
  }
}

export const engine: Engine = process.env["TEST_ENGINE"] === "postgres" ? "postgres" : "sqlite"

/** Creates an empty folder and, on PostgreSQL, an empty database. Both are removed when the test has finished. */
export async function newStoreLocation(): Promise<StoreLocation> {
  const dataDir = await newFolder()
  return { dataDir, databaseUrl: engine === "sqlite" ? undefined : await newDatabase() }
}

/** The same, with all tables, as if the migrations had just run. */
export async function newMigratedStore(): Promise<StoreLocation> {
  const dataDir = await newFolder()
  if (engine === "postgres") return { dataDir, databaseUrl: await newDatabase(inject("migratedDatabase")) }
  await copyFile(inject("migratedFile"), join(dataDir, sqliteFile))
  return { dataDir, databaseUrl: undefined }
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(scratchFolder, "envkeep-test-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function newDatabase(template = "template1"): Promise<string> {
  const name = `test_${randomBytes(8).toString("hex")}`
  await onPostgres(`create database ${name} template ${template} strategy file_copy`)
  onTestFinished(() => onPostgres(`drop database ${name} with (force)`))
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${name}`
  // A server that needs no password accepts any, so there is always a password whose leak the tests would notice.
  url.password ||= randomBytes(12).toString("hex")
  registerSecret("the database's password", url.password)
  return url.href
}

let administrator: Promise<pg.Client> | undefined

/** Runs a statement on the test's PostgreSQL. All tests of a process share a connection for it: each new one costs a process. */
export async function onPostgres(statement: string): Promise<void> {
  administrator ??= connectAdministrator()
  await (await administrator).query(statement)
}

async function connectAdministrator(): Promise<pg.Client> {
  const client = new pg.Client(inject("postgresUrl"))
  // It ends with PostgreSQL, which is stopped before the processes of the tests are.
  client.on("error", () => undefined)
  await client.connect()
  return client
}
