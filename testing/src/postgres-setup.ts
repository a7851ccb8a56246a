import { randomBytes } from "node:crypto"
import { migrate } from "@envkeep/server/db/migrator.ts"
import { openDatabase } from "@envkeep/server/db/open.ts"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { startPostgres } from "./machine/postgres.ts"

/** Starts one server, and runs the migrations once, for the whole test run. Each test creates its own database in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres()
  const execute = async (statement: string) => {
    const client = new pg.Client(postgres.url)
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  const migrated = `migrated_${randomBytes(8).toString("hex")}`
  await execute(`create database ${migrated}`)
  const url = new URL(postgres.url)
  url.pathname = `/${migrated}`
  const { db } = await openDatabase({ url: url.href, dataDir: "" })
  await migrate(db)
  await db.destroy()
  project.provide("postgresUrl", postgres.url)
  project.provide("migratedDatabase", migrated)
  return async () => {
    await execute(`drop database ${migrated} with (force)`)
    await postgres.stop()
  }
}
