import { newStoreLocation } from "@envkeep/testing/database.ts"
import { sql } from "kysely"
import { expect, onTestFinished, test } from "vitest"
import { openDatabase } from "./open.ts"

async function opened() {
  const { dataDir, databaseUrl } = await newStoreLocation()
  const open = async (options: { queryTimeoutMs?: number } = {}) => {
    const { db } = await openDatabase({ url: databaseUrl, dataDir, ...options })
    onTestFinished(() => db.destroy())
    return db
  }
  return { db: await open(), open }
}

test("reading by an index counts as cheap, unless the operator has said how cheap it is", async () => {
  const { db, open } = await opened()
  const shown = sql`show random_page_cost`
  expect((await shown.execute(db)).rows).toEqual([{ random_page_cost: "1.1" }])

  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  await sql`alter database ${sql.id(rows[0]?.name ?? "")} set random_page_cost = 3`.execute(db)
  expect((await shown.execute(await open())).rows).toEqual([{ random_page_cost: "3" }])
})

test("a command uses one processor of the database, however much it reads", async () => {
  const { db, open } = await opened()
  const shown = sql`show max_parallel_workers_per_gather`
  const none = [{ max_parallel_workers_per_gather: "0" }]
  expect((await shown.execute(await open({ queryTimeoutMs: 0 }))).rows).toEqual(none)
  expect((await shown.execute(db)).rows).not.toEqual(none)
})
