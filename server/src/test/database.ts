import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { inject, onTestFinished } from "vitest"
import type { Engine } from "../db/schema.ts"

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

  const server = inject("postgresUrl")
  const name = `test_${randomBytes(8).toString("hex")}`
  await onServer(server, `create database ${name}`)
  onTestFinished(() => onServer(server, `drop database ${name} with (force)`))
  const url = new URL(server)
  url.pathname = `/${name}`
  return { dataDir, databaseUrl: url.href }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}
