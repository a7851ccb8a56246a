import { once } from "node:events"
import { mkdir, open, readdir, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { sql } from "kysely"
import { expect, onTestFinished, test, vi } from "vitest"
import { migrations } from "../db/migrations/list.ts"
import { migrate } from "../db/migrator.ts"
import { openDatabase } from "../db/open.ts"
import type { Db } from "../db/schema.ts"
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
  const upgradeOf = (db: Db) => migrate(db, { all: later, beforehand })
  return { app, ann, environment, key, lines, beforehand, upgradeOf, upgrade: () => upgradeOf(app.db) }
}

test("the embedded store is backed up before it is changed, and a line says where", async () => {
  const { app, key, lines, upgrade } = await keptStore()
  expect(await upgrade()).toEqual(["998-forget-the-items"])
  expect(await hasTable(app.db, "item")).toBe(false)

  const file = /^backed the store up to (.*) before bringing it up to date$/.exec(lines[1] ?? "")?.[1] ?? ""
  expect(lines[0]).toBe(`backing the store up to ${file}`)
  expect(file).toMatch(/backups\/before-998-forget-the-items-\d{8}T\d{6}Z\.backup$/)
  const copy = await restored(app, file)
  expect((await copy.guest.variables(key)).text).toBe('{"A":"1"}')

  expect(await upgrade()).toEqual([])
  expect(lines).toHaveLength(2)
})

testOnce("what a start that was killed has left of its backup is deleted, and nothing else", async () => {
  const { app, upgrade } = await keptStore()
  const folder = join(app.location.dataDir, "backups")
  const kept = [
    "before-001-initial-20260102T030405Z.backup",
    "before-lunch.backup.unfinished-0123456789ab",
    "mine.backup.unfinished-0123456789ab",
  ]
  await mkdir(folder)
  for (const name of [...kept, "before-001-initial-20260102T030405Z.backup.unfinished-0123456789ab"]) {
    await writeFile(join(folder, name), "")
  }
  await upgrade()
  const names = await readdir(folder)
  expect(names).toEqual(expect.arrayContaining([...kept, expect.stringMatching(/^before-998-.*\.backup$/)]))
  expect(names).toHaveLength(kept.length + 1)
})

/** Changes nothing in the end, as if there were no room for it. */
const failing = [...later, { name: "999-fail", up: () => Promise.reject(new Error("the upgrade failed")) }]

/** A store whose upgrade fails, at a time that passes between the tries. */
async function storeWithFailingUpgrade() {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const store = await keptStore()
  const folder = join(store.app.location.dataDir, "backups")
  return {
    ...store,
    backups: async () => (await readdir(folder)).toSorted().map((name) => join(folder, name)),
    async failToUpgrade() {
      vi.setSystemTime(Date.now() + 2_000)
      const upgrading = migrate(store.app.db, { all: failing, beforehand: store.beforehand })
      await expect(upgrading).rejects.toThrow("the upgrade failed")
    },
  }
}

testOnce("an upgrade that fails again and again leaves one backup", async () => {
  const { backups, failToUpgrade, upgrade, lines } = await storeWithFailingUpgrade()
  await failToUpgrade()
  const first = await backups()
  expect(first).toHaveLength(1)
  for (let tries = 0; tries < 3; tries++) await failToUpgrade()
  expect(lines.slice(-2)).toEqual([
    `comparing the store with ${first[0]}`,
    `the store is backed up in ${first[0]} as it is now, so it is brought up to date without another backup`,
  ])
  await upgrade()
  expect(await backups()).toEqual(first)
})

testOnce("what was written between two tries is in a backup, and the first one stays", async () => {
  const { app, ann, environment, key, backups, failToUpgrade } = await storeWithFailingUpgrade()
  await failToUpgrade()
  const [first] = await backups()
  await ann.item(environment, "B", "2")
  await failToUpgrade()
  expect(await backups()).toEqual([first, expect.any(String)])
  await ann.item(environment, "C", "3")
  await failToUpgrade()

  const [stillFirst, last, ...rest] = await backups()
  expect([stillFirst, rest]).toEqual([first, []])
  expect((await (await restored(app, stillFirst ?? "")).guest.variables(key)).text).toBe('{"A":"1"}')
  expect((await (await restored(app, last ?? "")).guest.variables(key)).text).toBe('{"A":"1","B":"2","C":"3"}')
})

testOnce("a backup that is no longer whole is as good as none", async () => {
  const { app, key, backups, failToUpgrade } = await storeWithFailingUpgrade()
  await failToUpgrade()
  const [first = ""] = await backups()
  await truncate(first, 200)
  await failToUpgrade()
  const [, second = ""] = await backups()
  expect((await (await restored(app, second)).guest.variables(key)).text).toBe('{"A":"1"}')
})

testOnce("a server that is killed in its upgrade again and again leaves one backup", async () => {
  const location = await oldStore()
  for (let kills = 0; kills < 3; kills++) {
    const server = run(location)
    while (!/backed the store up|is backed up/.test(server.output.out)) await once(server.child.stdout, "data")
    server.child.kill("SIGKILL")
    await server.ended
  }
  await run(location).url()
  const names = await readdir(join(location.dataDir, "backups"))
  expect(names).toEqual([expect.stringMatching(/^before-002-.*\.backup$/)])
})

testOnce("when it cannot be backed up, it is not changed, and a sentence says so", async () => {
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

testOnce("when the store is damaged, that is the reason", async () => {
  const { app, upgradeOf } = await keptStore()
  const { rows } = await sql<{ at: number; size: number }>`
    select (rootpage - 1) * page_size as at, page_size as size from sqlite_schema, pragma_page_size where name = 'item'`.execute(
    app.db,
  )
  await app.close()
  const file = await open(join(app.location.dataDir, "envkeep.db"), "r+")
  await file.write(Buffer.alloc(rows[0]?.size ?? 0, 0xff), 0, rows[0]?.size, rows[0]?.at)
  await file.close()

  const { db } = await openDatabase({ dataDir: app.location.dataDir })
  await expect(upgradeOf(db)).rejects.toMatchObject({
    exitCode: 74,
    message: expect.stringMatching(/ first: database disk image is malformed\. Nothing was changed$/),
  })
  await db.destroy()
})

testOnce("a server says at once that it backs its store up", async () => {
  const location = await oldStore()
  await writeFile(join(location.dataDir, "backups"), "a file in the folder's location")
  const { code, out } = await run(location).ended
  expect(code).toBe(73)
  expect(out).toContain(`backing the store up to ${join(location.dataDir, "backups")}`)
})

/** As a version with one migration has left it. */
async function oldStore() {
  const location = { dataDir: (await newStoreLocation()).dataDir, databaseUrl: undefined }
  const { db } = await openDatabase({ dataDir: location.dataDir })
  await migrate(db, {
    all: migrations.slice(0, 1),
    beforehand: backupBeforehand(location, () => expect.unreachable()),
  })
  await db.destroy()
  return location
}

testOnce(
  "a server that brings its store up to date says where the backup is; at the very first start there is none",
  async () => {
    const location = await oldStore()
    expect(await readdir(location.dataDir)).not.toContain("backups")

    const server = run(location)
    await server.url()
    const [name] = await readdir(join(location.dataDir, "backups"))
    expect(server.output.out).toContain(`backed the store up to ${join(location.dataDir, "backups", name ?? "?")}`)
  },
)
