import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { migrations } from "../db/migrations/list.ts"
import { migrate } from "../db/migrator.ts"
import { openDatabase } from "../db/open.ts"
import { hasTable } from "../db/stored-tables.ts"
import { backupBeforehand } from "./beforehand.ts"

/** A change that loses data, as a later version might make it. */
const later = [
  ...migrations,
  {
    name: "998-forget-the-items",
    up: async (db: Parameters<typeof migrate>[0]) => void (await sql`drop table item`.execute(db)),
  },
]

/** An embedded store, whichever engine the tests run on, and the lines that its owner reads. */
async function keptStore() {
  const location = { dataDir: (await newStoreLocation()).dataDir, databaseUrl: undefined }
  const app = await testApp({ location })
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const lines: string[] = []
  const beforehand = backupBeforehand(location, (line) => lines.push(line))
  const { key } = await ann.apiKey(environment)
  return { app, key, lines, upgrade: () => migrate(app.db, { all: later, beforehand }) }
}

test("the embedded store is backed up before it is changed, and a line says where", async () => {
  const { app, key, lines, upgrade } = await keptStore()
  expect(await upgrade()).toEqual(["998-forget-the-items"])
  expect(await hasTable(app.db, "item")).toBe(false)

  const file = /^backed the store up to (.*) before bringing it up to date$/.exec(lines.join())?.[1] ?? ""
  expect(file).toMatch(/backups\/before-998-forget-the-items-\d{8}T\d{6}Z\.backup$/)
  const copy = await restored(app, file)
  expect((await copy.guest.variables(key)).text).toBe('{"A":"1"}')

  expect(await upgrade()).toEqual([])
  expect(lines).toHaveLength(1)
})

test("when it cannot be backed up, it is not changed, and a sentence says so", async () => {
  const { app, key, upgrade } = await keptStore()
  await writeFile(join(app.location.dataDir, "backups"), "a file in the folder's location")
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
  await migrate(db, {
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
