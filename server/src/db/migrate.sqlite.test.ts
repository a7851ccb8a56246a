import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { sql } from "kysely"
import { expect, onTestFinished, test } from "vitest"
import { migrations } from "./migrations/list.ts"
import { appliedMigrations, migrate } from "./migrator.ts"
import { openDatabase } from "./open.ts"
import type { Db } from "./schema.ts"

const earlierStore = join(import.meta.dirname, "../../../testing/fixtures/store-0.1.0/envkeep.db")

/** Everything that the earlier version stored, as text. */
async function contentOf(db: Db): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' order by name`.execute(db)
  const rows = await Promise.all(
    tables.map(async ({ name }) => (await sql`select * from ${sql.table(name)}`.execute(db)).rows),
  )
  return JSON.stringify([tables, rows])
}

async function limitPages(db: Db, morePages: number): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
  await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + morePages}`).execute(db)
}

test.each([0, 4, 16, 64])(
  "a disk with room for %i pages only is said to be full, and the upgrade goes on later",
  async (pages) => {
    const { dataDir } = await newStoreLocation()
    await copyFile(earlierStore, join(dataDir, "envkeep.db"))
    const { db } = await openDatabase({ dataDir })
    onTestFinished(() => db.destroy())
    const before = await contentOf(db)
    const applied = await appliedMigrations(db)

    await limitPages(db, pages)
    await expect(migrate(db)).rejects.toThrow("database or disk is full")
    expect(await contentOf(db)).toBe(before)

    await limitPages(db, 1_000_000)
    expect([...applied, ...(await migrate(db))]).toEqual(migrations.map(({ name }) => name))
  },
)
