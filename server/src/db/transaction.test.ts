import { testApp } from "@envkeep/testing/app.ts"
import { engine } from "@envkeep/testing/database.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { theServer } from "../access/caller.ts"

test("a transaction that the engine asks to retry is retried, and the retries are counted", async () => {
  const { core } = await testApp()
  let tries = 0
  const outcome = await core.change(theServer, "admin.grant", async (tx) => {
    // In SQLite, transactions wait for each other instead.
    if (++tries < 3 && engine === "postgres") await sql`do $$ begin raise sqlstate '40001'; end $$`.execute(tx)
    return "done"
  })
  const retries = engine === "postgres" ? 2 : 0
  expect([outcome, tries, core.counts.transactionRetries]).toEqual(["done", retries + 1, retries])
})
