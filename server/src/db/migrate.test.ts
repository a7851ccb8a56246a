import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { sql } from "kysely"
import { expect, onTestFinished, test } from "vitest"
import { migrate, migrations, NewerStoreError } from "./migrate.ts"
import { openDatabase } from "./open.ts"

async function emptyStore() {
  const location = await newStoreLocation()
  const node = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  onTestFinished(() => node.db.destroy())
  return node
}

test("a second start changes nothing", async () => {
  const { db, engine } = await emptyStore()
  expect(await migrate(db, engine)).toEqual(migrations.map((migration) => migration.name))
  expect(await migrate(db, engine)).toEqual([])
})

test("a store of a newer version is left alone", async () => {
  const { db, engine } = await emptyStore()
  await migrate(db, engine)
  await sql`insert into migration (name, applied_at) values ('999-from-the-future', 0)`.execute(db)
  await expect(migrate(db, engine)).rejects.toThrow(NewerStoreError)
})

test("a migration is never edited after it has landed: a change to the tables is a new one", () => {
  const folder = join(import.meta.dirname, "migrations")
  const landed = JSON.parse(readFileSync(join(folder, "checksums.json"), "utf8"))
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts"))
  const sums = files.map((file) => {
    const content = readFileSync(join(folder, file))
    return [file, createHash("sha256").update(content).digest("hex")]
  })
  expect(Object.fromEntries(sums)).toEqual(landed)
  expect(files.map((file) => file.replace(".ts", ""))).toEqual(migrations.map((migration) => migration.name))
  expect(files.toSorted()).toEqual(files)
})
