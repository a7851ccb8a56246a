import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { admin, callCommand, rotate } from "@envkeep/testing/commands.ts"
import { newStoreLocation, type StoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { sql } from "kysely"
import { beforeAll, expect, test } from "vitest"
import { migrations } from "../db/migrations/list.ts"
import { migrate } from "../db/migrator.ts"
import { openDatabase } from "../db/open.ts"
import { writeRootKey } from "../keys/root-key.ts"
import { keyOf } from "../keys/seal.ts"
import { newCanary } from "../keys/secrets.ts"
import { doctorCommand } from "./doctor.ts"

// As in the server's own process: what it makes in the data folder is private.
beforeAll(() => {
  const before = process.umask(0o077)
  return () => void process.umask(before)
})

async function smallStore() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production", (await ann.collection("shop")).id)
  // As names could be before such characters were refused.
  await app.db.updateTable("collection").set({ name: "shop\n\u001b[2J" }).execute()
  const item = await ann.item(environment, "TOKEN", "hunter22")
  await ann.item(environment, "OTHER", "fine")
  const apiKey = await ann.apiKey(environment)
  return { app, ann, environment, item, apiKey }
}

async function doctor(location: StoreLocation, env: Record<string, string> = {}) {
  const { exitCode, out, err } = await callCommand(doctorCommand, location, { env })
  expect(err).toEqual([])
  const lines = out.slice(0, -1)
  expect(lines.filter((line) => !/^(ok|warning|fault): [A-Z`/].*[^.]$/.test(line))).toEqual([])
  return {
    exitCode,
    end: out.at(-1),
    oks: lines.filter((line) => line.startsWith("ok")),
    faults: lines.filter((line) => line.startsWith("fault")).map((line) => line.slice("fault: ".length)),
    warnings: lines.filter((line) => line.startsWith("warning")).map((line) => line.slice("warning: ".length)),
  }
}

test("a store without faults gets one ok line per check, while the server runs", async () => {
  const { app } = await smallStore()
  const { exitCode, end, oks, faults, warnings } = await doctor(app.location)
  expect([exitCode, end, faults, warnings]).toEqual([0, "All is well", [], []])
  expect(oks).toEqual([
    "ok: The settings are valid",
    expect.stringMatching(/^ok: The data folder .* can be written, and its files are private$/),
    expect.stringMatching(/^ok: The disk of .* has [\d,.]+ MiB free; the embedded store takes [\d,.]+ MiB$/),
    expect.stringMatching(/^ok: (The store's file is whole|PostgreSQL answers; the database takes [\d,.]+ MiB)$/),
    expect.stringMatching(/^ok: The schema is up to date \(\d{3}-[a-z-]+\)$/),
    `ok: The root key in ${join(app.location.dataDir, "root.key")} opens the store's canary`,
    "ok: The one collection opens",
    "ok: All 2 items open",
    "ok: All 2 versions open",
    "ok: The one API key opens",
    "ok: There is no webhook to open",
    "ok: The history of every environment is complete",
    expect.stringMatching(/^ok: The audit trail is intact: /),
    "ok: The store holds 1 account, 1 collection, 1 environment, 2 items, 2 versions, 1 API key and 0 webhooks",
    expect.stringMatching(/^ok: The clock says .*, which is not before anything stored$/),
  ])
})

testOnce("damaged rows are named, one by one and without a value; once they are fixed, all is well again", async () => {
  const { app, ann, environment, item, apiKey } = await smallStore()
  await app.db
    .updateTable("item")
    .set({ sealed_value: Buffer.from("rubbish") })
    .where("id", "=", item.id)
    .execute()
  await app.db
    .updateTable("api_key")
    .set({ sealed_key: Buffer.alloc(90) })
    .where("id", "=", apiKey.id)
    .execute()
  const location = `in production of shop [2J (id`
  const { exitCode, end, faults } = await doctor(app.location)
  expect([exitCode, end]).toEqual([1, "3 faults, 0 warnings"])
  expect(faults).toEqual([
    `The item TOKEN ${location} ${item.id}) does not open: set its value again, or delete it`,
    `The API key ci ${location} ${apiKey.id}) does not open: it works, but cannot be shown; make a new one`,
    `The environment production of shop [2J (id ${environment.id}) counts its items wrong: save its raw text once`,
  ])

  expect((await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: "new" })).status).toBe(200)
  await ann.delete(`/api-key/${apiKey.id}`)
  expect(await doctor(app.location)).toMatchObject({ exitCode: 0, faults: [] })

  await app.db
    .updateTable("collection")
    .set({ data_key: Buffer.alloc(61) })
    .execute()
  expect((await doctor(app.location)).faults).toEqual([
    expect.stringMatching(/^The key of the collection shop \[2J \(id \d+\) does not open/),
  ])
})

testOnce("rows under a key that does not open are not counted as open", async () => {
  const { app, ann } = await smallStore()
  await ann.item(await ann.environment(), "ELSEWHERE", "fine")
  await app.db
    .updateTable("collection")
    .set({ data_key: Buffer.alloc(61) })
    .where("name", "like", "shop%")
    .execute()
  const { exitCode, oks, warnings } = await doctor(app.location)
  expect(exitCode).toBe(1)
  const notChecked = "could not be checked, because the key of their collection does not open"
  expect(warnings).toEqual([
    `Of 3 items, 2 ${notChecked}; all others open`,
    `Of 3 versions, 2 ${notChecked}; all others open`,
    `Of 1 API key, 1 ${notChecked}`,
  ])
  expect(oks.join()).not.toMatch(/(items|versions|API keys?) opens?/)
})

testOnce("an API key that is shown but does not work is named", async () => {
  const { app, apiKey } = await smallStore()
  await app.db
    .updateTable("api_key")
    .set({ key_hash: "0".repeat(64) })
    .execute()
  expect((await doctor(app.location)).faults).toEqual([
    `The API key ci in production of shop [2J (id ${apiKey.id}) is not the one that works: make a new one`,
  ])
})

test("of many damaged rows the first 20 are named, and the rest are counted", async () => {
  const { app, ann, environment } = await smallStore()
  const many = Array.from({ length: 230 }, (_, n) => ({ name: `N${n}`, value: "value" }))
  await ann.post(`/subcollection/${environment.id}/bulk`, many)
  await app.db
    .updateTable("item")
    .set({ sealed_value: Buffer.alloc(34) })
    .execute()
  const { out } = await callCommand(doctorCommand, app.location)
  const damaged = out.filter((line) => /^fault: .*(does|do) not open/.test(line))
  expect(damaged).toHaveLength(21)
  expect(damaged[0]).toMatch(/^fault: The item N0 in production of shop/)
  expect(damaged[20]).toBe("fault: 210 more items do not open")
})

testOnce("a version that does not open is named, and the value of today is not affected", async () => {
  const { app, ann, item } = await smallStore()
  await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: "next" })
  const { id } = await app.db
    .updateTable("item_version")
    .set({ sealed_value: Buffer.from("rubbish") })
    .where("name", "=", "TOKEN")
    .where("revision", "=", item.revision)
    .returning("id")
    .executeTakeFirstOrThrow()
  expect((await doctor(app.location)).faults).toEqual([
    `The version TOKEN in production of shop [2J (id ${id}) does not open: it cannot be restored; other versions are not affected`,
  ])
})

test.each([1, migrations.findIndex(({ name }) => name === "007-history")])(
  "a store of an older version, with %d migrations, is looked at as it is",
  async (count) => {
    const location = await newStoreLocation()
    const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
    await migrate(db, { all: migrations.slice(0, count) })
    const rootKey = keyOf(Buffer.alloc(32, 5))
    await writeRootKey(join(location.dataDir, "root.key"), rootKey)
    await db
      .insertInto("canary")
      .values({ id: 1, sealed: newCanary(rootKey) })
      .execute()
    await db.destroy()
    expect(await doctor(location)).toMatchObject({
      exitCode: 0,
      faults: [],
      warnings: [
        `The schema is of an older version (${migrations[count - 1]?.name}): the next start brings it up to date`,
      ],
    })
  },
)

test("wrong counts are found, and set right by saving the environment's text and counting again", async () => {
  const { app, ann, environment } = await smallStore()
  const items = (await ann.itemsOf(environment)).map(({ name, value }) => ({ name, value }))
  await app.db.updateTable("environment").set({ item_count: 7 }).execute()
  expect((await doctor(app.location)).faults).toEqual([
    expect.stringContaining("counts its items wrong"),
    expect.stringContaining("counts what it stores wrong"),
  ])
  await ann.post(`/subcollection/${environment.id}/bulk`, items)
  await admin(app.location, "recount")
  expect(await doctor(app.location)).toMatchObject({ exitCode: 0 })
})

testOnce("an environment with a base that it cannot have is named", async () => {
  const { app, ann, environment } = await smallStore()
  const [sibling, elsewhere] = [
    await ann.environment("sibling", environment.collectionId),
    await ann.environment("elsewhere"),
  ]
  const setBase = (baseId: number) =>
    app.db.updateTable("environment").set({ base_id: baseId }).where("id", "=", sibling.id).execute()
  await setBase(environment.id)
  expect(await doctor(app.location)).toMatchObject({ exitCode: 0 })
  for (const baseId of [elsewhere.id, sibling.id]) {
    await setBase(baseId)
    expect((await doctor(app.location)).faults).toEqual([
      expect.stringMatching(/^The environment sibling .* has a base/),
    ])
  }
})

testOnce(
  "a root key that is missing, wrong, damaged or open to others is a fault, and nothing is changed",
  async () => {
    const { app } = await smallStore()
    const file = join(app.location.dataDir, "root.key")
    const rootKey = await readFile(file, "utf8")
    await chmod(file, 0o644)
    expect(await doctor(app.location)).toMatchObject({
      exitCode: 1,
      faults: [`The file ${file} can be read by others: run chmod 600 on it`],
    })
    await chmod(file, 0o600)
    expect(await doctor(app.location, { ENVKEEP_ROOT_KEY: "00".repeat(32) })).toMatchObject({
      exitCode: 78,
      faults: [
        expect.stringMatching(/^The root key does not fit this store/),
        expect.stringContaining("the rows open"),
      ],
    })
    await writeFile(file, "rubbish")
    expect((await doctor(app.location)).faults[0]).toMatch(/^The root key in .* is damaged/)
    await rm(file)
    expect(await doctor(app.location)).toMatchObject({
      exitCode: 78,
      faults: [expect.stringMatching(/^The root key of this store is missing/), expect.any(String)],
    })
    expect(await readdir(app.location.dataDir)).not.toContain("root.key")
    await writeFile(file, rootKey, { mode: 0o600 })
    expect(await doctor(app.location)).toMatchObject({ exitCode: 0 })
  },
)

test("another schema, a clock that was set back, and leftovers of a stopped command are found", async () => {
  const { app } = await smallStore()
  await mkdir(join(app.location.dataDir, ".restore-x"))
  await mkdir(join(app.location.dataDir, "backups"))
  await writeFile(join(app.location.dataDir, "backups", "before-x.backup.unfinished-y"), "")
  await app.db
    .updateTable("user")
    .set({ created_at: Date.now() + 3_600_000 })
    .execute()
  expect(await doctor(app.location)).toMatchObject({
    exitCode: 1,
    faults: [
      expect.stringMatching(/^The clock says .*, but the store was written to at .*: the clock is slow, or was fast$/),
    ],
    warnings: [
      expect.stringContaining(".restore-x was left by a command or a start that was ended early"),
      expect.stringContaining("backups/before-x.backup.unfinished-y was left by"),
    ],
  })
  await sql`delete from migration where name = ${migrations.at(-1)?.name}`.execute(app.db)
  expect((await doctor(app.location)).warnings.at(-1)).toContain(`of an older version (${migrations.at(-2)?.name})`)
  await sql`update migration set checksum = 'of another' where name = '001-initial'`.execute(app.db)
  expect(await doctor(app.location)).toMatchObject({
    exitCode: 78,
    faults: [expect.stringMatching(/^Another version of the migration 001-initial has changed the store: start that/)],
  })
  await sql`insert into migration (name, applied_at) values ('999-from-the-future', 0)`.execute(app.db)
  expect(await doctor(app.location)).toMatchObject({
    exitCode: 78,
    faults: ["The schema is of a newer version (999-from-the-future): start that version"],
  })
})

testOnce("the clock is compared with the newest rows of the history too", async () => {
  const { app } = await smallStore()
  await app.db
    .updateTable("revision")
    .set({ created_at: Date.now() + 3_600_000 })
    .execute()
  expect((await doctor(app.location)).faults).toEqual([
    expect.stringMatching(/^The clock says .* is slow, or was fast$/),
  ])
})

testOnce("a root key that is being replaced is a warning, and everything opens", async () => {
  const location = await newStoreLocation()
  const env = { ENVKEEP_ROOT_KEY: "11".repeat(32) }
  const app = await testApp({ location, env })
  await (await app.user()).environment()
  await rotate(location, { env })
  expect(await doctor(location, env)).toMatchObject({
    exitCode: 0,
    warnings: [expect.stringMatching(/^The root key is being replaced/)],
  })
})

testOnce(
  "a location without a store, and a file that is not a store, get one sentence and are left alone",
  async () => {
    const location = { dataDir: (await newStoreLocation()).dataDir, databaseUrl: undefined }
    expect(await doctor(location)).toMatchObject({
      exitCode: 1,
      faults: [expect.stringContaining("There is no store in")],
    })
    expect(await readdir(location.dataDir)).toEqual([])
    await writeFile(join(location.dataDir, "envkeep.db"), "no database, but long enough to look at. ".repeat(50), {
      mode: 0o600,
    })
    const { mtimeMs } = await stat(join(location.dataDir, "envkeep.db"))
    const { exitCode, faults } = await doctor(location)
    expect([exitCode, faults[0]]).toEqual([
      74,
      `The store in ${location.dataDir} cannot be opened: file is not a database`,
    ])
    expect((await stat(join(location.dataDir, "envkeep.db"))).mtimeMs).toBe(mtimeMs)
  },
)

testOnce("npm run doctor prints the findings and exits with their code", async () => {
  const location = await newStoreLocation()
  await run(location).url()
  const { code, out, err } = await run(location, { args: ["doctor"] }).ended
  expect([code, err, out.trim().split("\n").at(-1)]).toEqual([0, "", "All is well"])
})
