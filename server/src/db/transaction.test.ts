import { testApp } from "@envkeep/testing/app.ts"
import { engine } from "@envkeep/testing/database.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { inTransaction, transactionRetries } from "./transaction.ts"

test("what the engine asks to try again is tried again, and counted", async () => {
  const { db } = await testApp()
  let tries = 0
  const outcome = await inTransaction(db, async (tx) => {
    // SQLite's transactions wait for each other instead, so there it never asks.
    if (++tries < 3 && engine === "postgres") await sql`do $$ begin raise sqlstate '40001'; end $$`.execute(tx)
    return "done"
  })
  const retries = engine === "postgres" ? 2 : 0
  expect([outcome, tries, transactionRetries(db)]).toEqual(["done", retries + 1, retries])
})
