import { newStoreLocation } from "@envkeep/testing/database.ts"
import { sql } from "kysely"
import { expect, onTestFinished, test } from "vitest"
import { defineCommand } from "../cli/command.ts"
import { success } from "../cli/command-result.ts"
import { runCommand } from "../cli/run-command.ts"
import { readConfig } from "../config.ts"
import { openDatabase } from "../db/open.ts"
import type { Db } from "../db/schema.ts"
import { bringUpToDate } from "./bring-up-to-date.ts"

const pause = sql`select pg_sleep(0.2)`

async function opened(queryTimeoutMs: number): Promise<Db> {
  const { dataDir, databaseUrl: url } = await newStoreLocation()
  const { db } = await openDatabase({ url, dataDir, queryTimeoutMs })
  onTestFinished(() => db.destroy())
  return db
}

test("a statement is ended when its time is over, and never if it may take any time", async () => {
  await expect(pause.execute(await opened(50))).rejects.toThrow()
  await pause.execute(await opened(0))
})

const timeout = sql<{ statement_timeout: string }>`show statement_timeout`

test("neither migrations nor commands for whole tables are ended because a table is large", async () => {
  const { dataDir, databaseUrl } = await newStoreLocation()
  const config = { ...readConfig({ DATABASE_URL: databaseUrl }), dataDir }
  const { db } = await openDatabase({ url: databaseUrl, dataDir })
  onTestFinished(() => db.destroy())
  const seen: unknown[] = (await timeout.execute(db)).rows
  const migration = {
    name: "001-slow",
    up: async (tx: Db) => void seen.push(...(await timeout.execute(tx)).rows),
  }
  expect(await bringUpToDate(db, config, { all: [migration] })).toEqual(["001-slow"])
  const command = defineCommand({
    name: "look",
    summary: "",
    usage: "",
    options: {},
    async run({ openStore }) {
      for (const options of [{}, { isUnhurried: false }]) {
        const store = await openStore(options)
        seen.push(...(await timeout.execute(store.db)).rows)
      }
      return success([])
    },
  })
  await runCommand(command, [], { config, workingDir: dataDir, warn: () => undefined })
  expect(seen).toEqual(["20s", "0", "0", "20s"].map((statement_timeout) => ({ statement_timeout })))
})

test("a connection whose statement took too long is not given to anyone else", async () => {
  const db = await opened(500)
  const processOf = async () => (await sql<{ id: number }>`select pg_backend_pid() as id`.execute(db)).rows[0]?.id
  const first = await processOf()
  // The server goes on with it, as with one whose answer is lost.
  await sql`set statement_timeout = 0`.execute(db)
  await expect(sql`select pg_sleep(60)`.execute(db)).rejects.toThrow()
  expect(await processOf()).not.toBe(first)
})
