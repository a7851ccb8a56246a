import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { sql } from "kysely"
import { expect, onTestFinished, test } from "vitest"
import { migrationSums, migrations } from "./migrations/list.ts"
import { AlteredMigrationError, alteredMigration, migrate, NewerStoreError } from "./migrator.ts"
import { openDatabase } from "./open.ts"

async function emptyStore() {
  const location = await newStoreLocation()
  const node = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  onTestFinished(() => node.db.destroy())
  return node
}

test("a second start changes nothing", async () => {
  const { db } = await emptyStore()
  expect(await migrate(db)).toEqual(migrations.map((migration) => migration.name))
  expect(await migrate(db)).toEqual([])
})

testOnce("a store of a newer version is left alone", async () => {
  const { db } = await emptyStore()
  await migrate(db)
  await sql`insert into migration (name, applied_at) values ('999-from-the-future', 0)`.execute(db)
  await expect(migrate(db)).rejects.toThrow(NewerStoreError)
})

testOnce("a store that another version of a migration has changed is left alone", async () => {
  const { db } = await emptyStore()
  await migrate(db)
  const name = migrations.at(-2)?.name
  await sql`update migration set checksum = 'of something else' where name = ${name}`.execute(db)
  await expect(migrate(db)).rejects.toThrow(AlteredMigrationError)
})

test("what an older version has run is known by its name alone, and what runs from now on by its sum too", async () => {
  const { db } = await emptyStore()
  await migrate(db, { all: migrations.slice(0, -1) })
  await db.schema.alterTable("migration").dropColumn("checksum").execute()
  expect(await migrate(db)).toEqual([migrations.at(-1)?.name])
  expect(await alteredMigration(db)).toBeUndefined()
  const { rows } = await sql<{ checksum: string | null }>`select checksum from migration order by name`.execute(db)
  expect(rows.map(({ checksum }) => checksum)).toEqual([
    ...migrations.slice(0, -1).map(() => null),
    migrationSums.get(migrations.at(-1)?.name ?? ""),
  ])
})

testOnce("a migration is never edited once it is merged: a change to the tables is a new one", () => {
  const folder = join(import.meta.dirname, "migrations")
  const merged = JSON.parse(readFileSync(join(folder, "checksums.json"), "utf8"))
  const files = readdirSync(folder).filter((file) => /^\d.*\.ts$/.test(file))
  const sums = files.map((file) => {
    const content = readFileSync(join(folder, file))
    return [file, createHash("sha256").update(content).digest("hex")]
  })
  expect(Object.fromEntries(sums)).toEqual(merged)
  expect(files.map((file) => file.replace(".ts", ""))).toEqual(migrations.map((migration) => migration.name))
  expect(files.toSorted()).toEqual(files)
})
