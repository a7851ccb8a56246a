import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { callCommand, rotate } from "@envkeep/testing/commands.ts"
import { freshPlace, type Place } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { sql } from "kysely"
import { beforeAll, expect, test } from "vitest"
import { migrations } from "../db/migrate.ts"
import { doctorCommand } from "./doctor.ts"

// As in the server's own process: what is created in the data folder is private.
beforeAll(() => {
  const before = process.umask(0o077)
  return () => void process.umask(before)
})

async function appWithItems() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production", (await ann.collection("shop\n\u001b[2J")).id)
  const item = await ann.item(environment, "TOKEN", "hunter22")
  await ann.item(environment, "OTHER", "fine")
  const apiKey = await ann.apiKey(environment)
  return { app, ann, environment, item, apiKey }
}

async function doctor(place: Place, env: Record<string, string> = {}) {
  const { exitCode, out, err } = await callCommand(doctorCommand, place, { env })
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

test("a healthy store is reported as such, check by check, while the server runs", async () => {
  const { app } = await appWithItems()
  const { exitCode, end, oks, faults, warnings } = await doctor(app.place)
  expect([exitCode, end, faults, warnings]).toEqual([0, "All is well", [], []])
  expect(oks).toEqual([
    "ok: The settings are valid",
    expect.stringMatching(/^ok: The data folder .* can be written, and its files are private$/),
    expect.stringMatching(/^ok: The disk of .* has [\d,.]+ MiB free; the embedded store takes [\d,.]+ MiB$/),
    expect.stringMatching(/^ok: (The store's file is whole|PostgreSQL answers; the database takes [\d,.]+ MiB)$/),
    expect.stringMatching(/^ok: The schema is up to date \(\d{3}-[a-z-]+\)$/),
    `ok: The root key in ${join(app.place.dataDir, "root.key")} opens the store's canary`,
    "ok: The one collection opens",
    "ok: All 2 items open",
    "ok: The one API key opens",
    "ok: The store holds 1 account, 1 collection, 1 environment, 2 items and 1 API key",
    expect.stringMatching(/^ok: The clock says .*, which is not before anything stored$/),
  ])
})

test("damaged rows are named one by one and without a value; once fixed, all is well again", async () => {
  const { app, ann, environment, item, apiKey } = await appWithItems()
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
  const place = `in production of shop [2J (id`
  const { exitCode, end, faults } = await doctor(app.place)
  expect([exitCode, end]).toEqual([1, "3 faults, 0 warnings"])
  expect(faults).toEqual([
    `The item TOKEN ${place} ${item.id}) does not open: set its value again, or delete it`,
    `The API key ci ${place} ${apiKey.id}) does not open: it works, but cannot be shown; make a new one`,
    `The environment production of shop [2J (id ${environment.id}) counts its items wrong: save its raw text once`,
  ])

  expect((await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: "new" })).status).toBe(200)
  await ann.delete(`/api-key/${apiKey.id}`)
  expect(await doctor(app.place)).toMatchObject({ exitCode: 0, faults: [] })

  await app.db
    .updateTable("collection")
    .set({ data_key: Buffer.alloc(61) })
    .execute()
  expect((await doctor(app.place)).faults).toEqual([
    expect.stringMatching(/^The key of the collection shop \[2J \(id \d+\) does not open/),
  ])
})

test("wrong counts are found, and saving the environment's text once sets them right", async () => {
  const { app, ann, environment } = await appWithItems()
  const items = (await ann.itemsOf(environment)).map(({ name, value }) => ({ name, value }))
  await app.db.updateTable("environment").set({ item_count: 7 }).execute()
  expect((await doctor(app.place)).faults).toEqual([expect.stringContaining("counts its items wrong")])
  await ann.post(`/subcollection/${environment.id}/bulk`, items)
  expect(await doctor(app.place)).toMatchObject({ exitCode: 0 })
})

test("a root key that is missing, wrong, damaged or open to others is a fault, and nothing is changed", async () => {
  const { app } = await appWithItems()
  const file = join(app.place.dataDir, "root.key")
  const rootKey = await readFile(file, "utf8")
  await chmod(file, 0o644)
  expect(await doctor(app.place)).toMatchObject({
    exitCode: 1,
    faults: [`The file ${file} can be read by others: run chmod 600 on it`],
  })
  await chmod(file, 0o600)
  expect(await doctor(app.place, { ENVKEEP_ROOT_KEY: "00".repeat(32) })).toMatchObject({
    exitCode: 78,
    faults: [expect.stringMatching(/^The root key does not fit this store/), expect.stringContaining("the rows open")],
  })
  await writeFile(file, "rubbish")
  expect((await doctor(app.place)).faults[0]).toMatch(/^The root key in .* is damaged/)
  await rm(file)
  expect(await doctor(app.place)).toMatchObject({
    exitCode: 78,
    faults: [expect.stringMatching(/^The root key of this store is missing/), expect.any(String)],
  })
  expect(await readdir(app.place.dataDir)).not.toContain("root.key")
  await writeFile(file, rootKey, { mode: 0o600 })
  expect(await doctor(app.place)).toMatchObject({ exitCode: 0 })
})

test("another schema, a clock that was set back, and leftovers of an interrupted command are reported", async () => {
  const { app } = await appWithItems()
  await mkdir(join(app.place.dataDir, ".restore-x"))
  await app.db
    .updateTable("user")
    .set({ created_at: Date.now() + 3_600_000 })
    .execute()
  expect(await doctor(app.place)).toMatchObject({
    exitCode: 1,
    faults: [
      expect.stringMatching(/^The clock says .*, but the store was written to at .*: the clock is slow, or was fast$/),
    ],
    warnings: [expect.stringContaining(".restore-x was left by a command that was ended early")],
  })
  await sql`delete from migration where name = ${migrations.at(-1)?.name}`.execute(app.db)
  expect((await doctor(app.place)).warnings.at(-1)).toContain(`of an older version (${migrations.at(-2)?.name})`)
  await sql`insert into migration (name, applied_at) values ('999-from-the-future', 0)`.execute(app.db)
  expect(await doctor(app.place)).toMatchObject({
    exitCode: 78,
    faults: ["The schema is of a newer version (999-from-the-future): start that version"],
  })
})

test("a root key that is being replaced is a warning, and everything opens", async () => {
  const place = await freshPlace()
  const env = { ENVKEEP_ROOT_KEY: "11".repeat(32) }
  const app = await testApp({ place, env })
  await (await app.user()).environment()
  await rotate(place, { env })
  expect(await doctor(place, env)).toMatchObject({
    exitCode: 0,
    warnings: [expect.stringMatching(/^The root key is being replaced/)],
  })
})

test("a place without a store, and a file that is not one, get one sentence and are left alone", async () => {
  const place = { dataDir: (await freshPlace()).dataDir, databaseUrl: undefined }
  expect(await doctor(place)).toMatchObject({ exitCode: 1, faults: [expect.stringContaining("There is no store in")] })
  expect(await readdir(place.dataDir)).toEqual([])
  await writeFile(join(place.dataDir, "envkeep.db"), "no database, but long enough to look at. ".repeat(50), {
    mode: 0o600,
  })
  const { mtimeMs } = await stat(join(place.dataDir, "envkeep.db"))
  const { exitCode, faults } = await doctor(place)
  expect([exitCode, faults[0]]).toEqual([74, `The store in ${place.dataDir} cannot be opened: file is not a database`])
  expect((await stat(join(place.dataDir, "envkeep.db"))).mtimeMs).toBe(mtimeMs)
})

test("npm run doctor prints it and ends with its code", async () => {
  const place = await freshPlace()
  await run(place).url()
  const { code, out, err } = await run(place, { args: ["doctor"] }).ended
  expect([code, err, out.trim().split("\n").at(-1)]).toEqual([0, "", "All is well"])
})
