import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { migrate, migrations } from "../db/migrate.ts"
import { openDatabase } from "../db/open.ts"
import { hasTable } from "../db/tables.ts"
import { backupBeforehand } from "./beforehand.ts"

/** A change that loses something, as a later version might make one. */
const later = [
  ...migrations,
  {
    name: "998-forget-the-items",
    up: async (db: Parameters<typeof migrate>[0]) => void (await sql`drop table item`.execute(db)),
  },
]

/** The embedded store of somebody, on whatever engine the run is, and what its owner is told. */
async function keptStore() {
  const location = { dataDir: (await newStoreLocation()).dataDir, databaseUrl: undefined }
  const app = await testApp({ location })
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const told: string[] = []
  const beforehand = backupBeforehand(location, (line) => told.push(line))
  const { key } = await ann.apiKey(environment)
  return { app, key, told, upgrade: () => migrate(app.db, "sqlite", { all: later, beforehand }) }
}

test("the embedded store is backed up before it is changed, and the path is told", async () => {
  const { app, key, told, upgrade } = await keptStore()
  expect(await upgrade()).toEqual(["998-forget-the-items"])
  expect(await hasTable(app.db, "item")).toBe(false)

  const file = /^backed the store up to (.*) before bringing it up to date$/.exec(told.join())?.[1] ?? ""
  expect(file).toMatch(/backups\/before-998-forget-the-items-\d{8}T\d{6}Z\.backup$/)
  const copy = await restored(app, file)
  expect((await copy.guest.variables(key)).text).toBe('{"A":"1"}')

  expect(await upgrade()).toEqual([])
  expect(told).toHaveLength(1)
})

test("when it cannot be backed up, it is not changed, and a sentence says so", async () => {
  const { app, key, upgrade } = await keptStore()
  await writeFile(join(app.location.dataDir, "backups"), "a file in the folder's place")
  await expect(upgrade()).rejects.toMatchObject({
    exitCode: 73,
    message: expect.stringMatching(
      /cannot be backed up to .*backups\/before-998-.* first: ENOTDIR\. Nothing was changed$/,
    ),
  })
  expect((await app.guest.variables(key)).text).toBe('{"A":"1"}')
})

test("a server that brings its store up to date says where the backup is; at the very first start there is none", async () => {
  const location = { dataDir: (await newStoreLocation()).dataDir, databaseUrl: undefined }
  const { db } = await openDatabase({ dataDir: location.dataDir })
  await migrate(db, "sqlite", {
    all: migrations.slice(0, 1),
    beforehand: backupBeforehand(location, () => expect.unreachable()),
  })
  await db.destroy()
  expect(await readdir(location.dataDir)).not.toContain("backups")

  const server = run(location)
  await server.url()
  const [name] = await readdir(join(location.dataDir, "backups"))
  expect(server.output.out).toContain(`backed the store up to ${join(location.dataDir, "backups", name ?? "?")}`)
})
