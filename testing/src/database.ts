import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Engine } from "@envkeep/server/db/schema.ts"
import pg from "pg"
import { inject, onTestFinished } from "vitest"
import { hide } from "./leaks.ts"

export const engine: Engine = process.env["TEST_ENGINE"] === "postgres" ? "postgres" : "sqlite"

export interface Place {
  dataDir: string
  databaseUrl: string | undefined
}

/** An empty folder and, on PostgreSQL, an empty database; both go when the test has finished. */
export async function freshPlace(): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), "envkeep-test-"))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  if (engine === "sqlite") return { dataDir, databaseUrl: undefined }

  const name = `test_${randomBytes(8).toString("hex")}`
  await onPostgres(`create database ${name}`)
  onTestFinished(() => onPostgres(`drop database ${name} with (force)`))
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${name}`
  // A server that asks for none takes any; so there is always one that must not be seen.
  url.password ||= randomBytes(12).toString("hex")
  hide("the database's password", url.password)
  return { dataDir, databaseUrl: url.href }
}

/** Runs a statement on the test's PostgreSQL, beside whatever the app does. */
export async function onPostgres(statement: string): Promise<void> {
  const client = new pg.Client(inject("postgresUrl"))
  await client.connect()
  await client.query(statement)
  await client.end()
}
