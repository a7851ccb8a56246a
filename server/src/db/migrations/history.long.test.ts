import { createInterface } from "node:readline"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { earlier, storeBefore, withStore } from "@envkeep/testing/store-before-history.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { appliedMigrations } from "../migrator.ts"

test("a server that is killed while it migrates leaves the store as it was, and the next one goes on", async () => {
  const location = await newStoreLocation()
  await storeBefore(location, [20_000, 20_000, 20_000])
  const { child, ended } = run(location)
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("20,000 of 60,000 items have their first version")) child.kill("SIGKILL")
  }
  expect((await ended).code).toBeNull()
  await withStore(location, async (db) => {
    expect(await appliedMigrations(db)).toEqual(earlier.map(({ name }) => name))
  })

  const again = run(location)
  await again.url()
  again.child.kill("SIGKILL")
  await again.ended
  await withStore(location, async (db) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from item_version`.execute(db)
    expect(rows[0]?.count).toBe(60_000)
  })
})
