import { readdir } from "node:fs/promises"
import { admin, rotate } from "@envkeep/testing/commands.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { opened } from "@envkeep/testing/restored.ts"
import { expect, onTestFinished, test } from "vitest"
import { migrations } from "../db/migrations/list.ts"
import { appliedMigrations, migrate } from "../db/migrator.ts"
import { openDatabase } from "../db/open.ts"

test("beside a store of an earlier version, commands change nothing until a server of this one has started", async () => {
  const location = await newStoreLocation()
  const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  onTestFinished(() => db.destroy())
  const earlier = migrations.slice(0, -1)
  await migrate(db, { all: earlier })
  const files = await readdir(location.dataDir)

  const refusal = {
    exitCode: 78,
    message: "The store is of an earlier version. Start the server of this version once, then run this command again",
  }
  await expect(admin(location, "list")).rejects.toMatchObject(refusal)
  await expect(rotate(location)).rejects.toMatchObject(refusal)
  expect(await appliedMigrations(db)).toEqual(earlier.map(({ name }) => name))
  expect(await readdir(location.dataDir)).toEqual(files)

  await opened(location)
  expect(await admin(location, "list")).toMatchObject({ exitCode: 0 })
  expect(await rotate(location)).toMatchObject({ exitCode: 0 })
})
