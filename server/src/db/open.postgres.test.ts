import { newStoreLocation } from "@envkeep/testing/database.ts"
import { sql } from "kysely"
import { expect, onTestFinished, test } from "vitest"
import { openDatabase } from "./open.ts"

async function opened() {
  const { dataDir, databaseUrl } = await newStoreLocation()
  const open = async () => {
    const { db } = await openDatabase({ url: databaseUrl, dataDir })
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
