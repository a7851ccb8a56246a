import { readdir } from "node:fs/promises"
import { admin, rotate } from "@envkeep/testing/commands.ts"
import { engine, newStoreLocation } from "@envkeep/testing/database.ts"
import { expect, onTestFinished, test } from "vitest"
import { migrations } from "../db/migrations/list.ts"
import { appliedMigrations, migrate } from "../db/migrator.ts"
import { openDatabase } from "../db/open.ts"

test("commands bring a store of an earlier version up to date, but not under a server of that version", async () => {
  const location = await newStoreLocation()
  const earlier = migrations.slice(0, -1)
  const server = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  onTestFinished(() => server.db.destroy())
  await migrate(server.db, { all: earlier })
  const feed = server.follow({ changed: () => undefined, mayHaveMissedChanges: () => undefined })
  onTestFinished(() => feed.close())
  await expect.poll(() => feed.isInSync()).toBe(true)
  const files = await readdir(location.dataDir)

  const refusal = {
    exitCode: 78,
    message:
      engine === "postgres"
        ? "The store is of an earlier version, and a server of that version is running. Start the server of this version instead, then run this command again"
        : "The store is of an earlier version, and another process has it open: a server of that version, a server that is bringing it up to date, or another command. Wait until it is done, or stop it, and then run this command again",
  }
  // Each waits for a while, in case the other process is about to end.
  await Promise.all([
    expect(admin(location, "list")).rejects.toMatchObject(refusal),
    expect(rotate(location)).rejects.toMatchObject(refusal),
  ])
  expect(await appliedMigrations(server.db)).toEqual(earlier.map(({ name }) => name))
  expect(await readdir(location.dataDir)).toEqual(files)

  await feed.close()
  await server.db.destroy()
  expect(await admin(location, "list")).toMatchObject({ exitCode: 0 })
  const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  onTestFinished(() => db.destroy())
  expect(await appliedMigrations(db)).toEqual(migrations.map(({ name }) => name))
  expect((await readdir(location.dataDir)).includes("backups")).toBe(engine === "sqlite")
})
