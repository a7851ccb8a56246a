import { createHash } from "node:crypto"
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import type { Collection, CollectionSummary, Environment } from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { admin, backUp, backupFile, callCommand, restore, verifyAudit } from "@envkeep/testing/commands.ts"
import { engine, newStoreLocation, type StoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { backedUp, copyRootKey, opened, restored } from "@envkeep/testing/restored.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { migrations } from "../db/migrations/list.ts"
import { appliedMigrations, migrate } from "../db/migrator.ts"
import { openDatabase } from "../db/open.ts"
import { keptTables } from "../db/table-lists.ts"
import { countToday } from "../features/admin/rules.ts"
import { writeRootKey } from "../keys/root-key.ts"
import { keyOf } from "../keys/seal.ts"
import { newCanary } from "../keys/secrets.ts"
import { restoreCommand } from "./restore.ts"

/** Two people, one of them an administrator, with everything that a backup keeps, and unusual characters. */
async function world() {
  const app = await testApp()
  const [ann, bob] = [await app.admin(), await app.user()]
  const staging = await ann.environment("staging")
  const live = await ann.environment("live, ünïcode \u2028 🔑", staging.collectionId)
  const item = await ann.item(staging, "EMPTY_LATER", "x")
  await ann.item(staging, "__proto__", 'quoted "value"\n = $HOME \u2028\u2029')
  await ann.put(`/collectionItem/${item.id}`, { name: "EMPTY_LATER", value: "", note: "no longer needed 🔑" })
  await ann.post(`/environments/${staging.id}/erase`, { name: "EMPTY_LATER", revision: 2 })
  await ann.item(live, "LARGE", "ä".repeat(30_000))
  // It comes after its heir in the backup.
  const defaults = await ann.environment("defaults", staging.collectionId)
  await ann.item(defaults, "INHERITED", "by live")
  await ann.put(`/environments/${live.id}/base`, { baseId: defaults.id })
  const his = await bob.environment("production")
  await bob.post(
    `/subcollection/${his.id}/bulk`,
    Array.from({ length: 450 }, (_, n) => ({ name: `N${n}`, value: `value ${n}` })),
  )
  const keys = [(await ann.apiKey(live)).key, (await bob.apiKey(his, "deploy 🚀")).key]
  await ann.post("/hrkljush/product/create", { name: "p", description: "d", type: "SERVICE", category: "SOFTWARE" })
  return { app, people: [ann, bob], keys, live, staging }
}

/** What each revision of these held, and how an item changed. A restore adds a revision to those. */
async function past(who: Person, environmentId: number, numbers: number[]) {
  const path = `/environments/${environmentId}`
  const seen: unknown[] = [(await who.get(`${path}/item-history?name=EMPTY_LATER`)).body.data]
  for (const number of numbers) seen.push((await who.get(`${path}/history/${number}`)).body)
  return seen
}

/** Everything that people can read of their own, except the revisions, which a restore raises. */
async function everything(people: Person[]) {
  const seen: unknown[] = []
  for (const who of people) {
    const { data: user } = (await who.get("/users/me")).body
    const { data: list } = (await who.get<CollectionSummary[]>("/collection")).body
    const whole = list.map(async ({ id }) => (await who.get<Collection>(`/collection/${id}`)).body.data)
    const products = (await who.get("/hrkljush/product/list")).body.data
    seen.push({ user, whole: await Promise.all(whole), keys: (await who.get("/api-key")).body.data, products })
  }
  return JSON.parse(JSON.stringify(seen, (name, value) => (name === "revision" ? undefined : value)))
}

test("a backup restores every value on either engine; passwords and API keys work as before", async () => {
  const { app, people, keys, staging } = await world()
  const before = await everything(people)
  const pastBefore = await past(people[0] as Person, staging.id, [1, 2, 3, 4])
  const file = await backupFile()
  await backUp(app.location, file)

  // From this run's engine into the embedded store, and from that back: the file is the same for both.
  const embedded = { dataDir: (await newStoreLocation()).dataDir, databaseUrl: undefined }
  const first = await restored(app, file, { into: embedded })
  const secondFile = await backupFile()
  await backUp(embedded, secondFile)
  const second = await restored(app, secondFile)
  for (const copy of [first, second]) {
    const again = await Promise.all(people.map((who) => copy.logIn(who.email)))
    expect(await everything(again)).toEqual(before)
    const ann = again[0] as Person
    expect(await past(ann, staging.id, [1, 2, 3, 4])).toEqual(pastBefore)
    const { revision, collectionItems } = (await ann.get<Environment>(`/subcollection/${staging.id}`)).body.data
    expect((await ann.get(`/environments/${staging.id}/history/${revision}`)).body.data).toMatchObject({
      revision: { number: revision, action: "backup.restore", by: null },
      items: collectionItems.map(({ name, value }) => ({ name, value })),
    })
    for (const key of keys) {
      expect((await copy.guest.variables(key)).text).toBe((await app.guest.variables(key)).text)
    }
    // Sessions are not restored, so that one that was ended does not become valid again.
    expect((await copy.guest.get("/users/me", { cookie: people[0]?.cookie ?? "" })).body.data).toBeNull()
  }
})

test("after a restore no id, revision or ETag comes again with other content", async () => {
  const { app, ann, environment: live, key, file } = await backedUp()
  // What only the lost store ever knew.
  await ann.item(live, "LOST", "lost")
  const lost = await app.guest.variables(key)
  const lostIds = [(await ann.environment("lost", live.collectionId)).id, (await ann.collection()).id]

  const copy = await restored(app, file)
  const again = await copy.logIn(ann.email)
  const etag = String(lost.headers["etag"])
  const now = await copy.guest.variables(key, "", { "if-none-match": etag })
  expect(now.status).toBe(200)
  expect(Number(now.headers["envkeep-revision"])).toBeGreaterThan(Number(lost.headers["envkeep-revision"]))
  const item = await again.item(live, "OTHER", "other")
  expect((await copy.guest.variables(key, "", { "if-none-match": etag })).text).toContain("other")
  const ids = [item.id, (await again.environment("new", live.collectionId)).id, (await again.collection()).id]
  expect(Math.min(...ids)).toBeGreaterThan(Math.max(...lostIds, 1_000_000))
})

/** Every row of every table that a backup keeps. */
async function rowsOf({ databaseUrl, dataDir }: StoreLocation): Promise<Record<string, unknown[]>> {
  const { db } = await openDatabase({ url: databaseUrl, dataDir })
  const rows: Record<string, unknown[]> = {}
  for (const table of keptTables) rows[table] = await db.selectFrom(table).selectAll().orderBy("id").execute()
  await db.destroy()
  return rows
}

test("a store that holds something is replaced only with --force, and the embedded one is kept", async () => {
  const { app, ann, environment, key, file } = await backedUp()
  await ann.item(environment, "LATER", "2")
  await app.close()
  const later = await rowsOf(app.location)

  await expect(restore(app.location, file)).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/^There is a store in .* already\. Nothing was changed; add --force/),
  })
  expect(await rowsOf(app.location)).toEqual(later)

  const { exitCode, out } = await restore(app.location, file, "--force")
  expect(exitCode).toBe(0)
  const replaced = await opened(app.location)
  expect((await replaced.guest.variables(key)).text).toBe('{"A":"1"}')
  if (engine === "sqlite") {
    const aside = /is kept as (.*)$/.exec(out.at(-1) ?? "")?.[1] ?? ""
    const location = await newStoreLocation()
    await copyFile(aside, join(location.dataDir, "envkeep.db"))
    expect(await rowsOf(location)).toEqual(later)
  }
})

testOnce("a store is not replaced while a server is running on it", async () => {
  const { app, key, file } = await backedUp()
  await untilMarked(app)
  await expect(restore(app.location, file, "--force")).rejects.toMatchObject({
    exitCode: 1,
    message: "A server is running on this store. Nothing was changed; stop it, then restore",
  })
  expect((await app.guest.variables(key)).text).toBe('{"A":"1"}')
})

/** On PostgreSQL a server is known by a lock on its listening connection, which it takes soon after its start. */
async function untilMarked({ db }: TestApp): Promise<void> {
  if (engine === "sqlite") return
  const marked = async () => {
    const { rows } = await sql`
      select 1 from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted
        and database = (select oid from pg_database where datname = current_database())`.execute(db)
    return rows.length > 0
  }
  await expect.poll(marked, eventually).toBe(true)
}

/** A location with something in it, which can be compared with what it was, and a backup to damage. */
async function target() {
  const { app, file } = await backedUp()
  await app.close()
  const before = await rowsOf(app.location)
  return {
    location: app.location,
    file,
    async expectUntouched() {
      expect(await rowsOf(app.location)).toEqual(before)
      expect((await readdir(app.location.dataDir)).filter((name) => name.startsWith(".restore"))).toEqual([])
    },
  }
}

testOnce("a backup that was cut short or changed, or is not a backup, is refused, and nothing is touched", async () => {
  const { location, file, expectUntouched } = await target()
  const content = await readFile(file)
  const text = gunzipSync(content).toString("utf8")
  const lines = text.split("\n")
  const without = (at: number) => gzipSync(lines.toSpliced(at, 1).join("\n"))
  const damaged: [string, Buffer | string][] = [
    ["cut in the middle", content.subarray(0, content.length / 2)],
    ["cut by one byte", content.subarray(0, -1)],
    ["one bit changed", Buffer.from(content).fill((content[100] ?? 0) ^ 1, 100, 101)],
    ["a row gone", without(3)],
    ["the end gone", without(lines.length - 2)],
    ["a row more", gzipSync(`${text}${lines[3]}\n`)],
    ["a name changed", gzipSync(text.replace('"production"', '"productioN"'))],
    ["another file", "hello, this is not a backup"],
    ["another compressed file", gzipSync("hello, this is not a backup\n")],
    ["other JSON", gzipSync('{"hello":1}\n[]\n')],
    ["no end of a line", gzipSync(Buffer.alloc(8 * 1024 * 1024, "x"))],
    ["nothing", ""],
  ]
  for (const [what, bytes] of damaged) {
    await writeFile(file, bytes)
    await expect(restore(location, file, "--force"), what).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(
        /^The (backup|file) .* is (damaged|not an Envkeep backup).* Nothing was restored$/,
      ),
    })
  }
  await rm(file)
  await expect(restore(location, file, "--force")).rejects.toMatchObject({ message: `There is no file ${file}` })
  await expectUntouched()
})

/** The backup with other lines in it, and an end that fits them. */
async function rewriteLines(file: string, change: (lines: string[]) => string[]): Promise<void> {
  const lines = gunzipSync(await readFile(file))
    .toString("utf8")
    .trim()
    .split("\n")
  const kept = change(lines.slice(0, -1)).map((line) => `${line}\n`)
  const sha256 = createHash("sha256").update(kept.join("")).digest("hex")
  await writeFile(file, gzipSync(`${kept.join("")}${JSON.stringify({ end: true, rows: {}, sha256 })}\n`))
}

testOnce("rows that belong to nothing are left out, and all others are restored", async () => {
  const { app, file } = await backedUp()
  await rewriteLines(file, (lines) => lines.filter((line) => !line.startsWith('["environment"')))
  const location = await newStoreLocation()
  await copyRootKey(app.location, location)
  expect(await restore(location, file)).toMatchObject({
    exitCode: 0,
    err: ["5 rows of the backup belonged to nothing, and were left out"],
  })
  expect(await rowsOf(location)).toMatchObject({
    user: [{ id: 1 }],
    collection: [{ name: "app" }],
    item: [],
    api_key: [],
  })
})

test("a restore that fails in the middle leaves everything as it was", async () => {
  const { location, file, expectUntouched } = await target()
  const whole = await readFile(file)
  const item = (lines: string[]) => lines.find((line) => line.startsWith('["item"')) ?? ""
  const contradictions: [string, (lines: string[]) => string[]][] = [
    ["a row twice", (lines) => [...lines, lines.at(-1) ?? ""]],
    ["a name twice", (lines) => [...lines, item(lines).replace('"id":1,', '"id":1001,')]],
  ]
  for (const [what, change] of contradictions) {
    await writeFile(file, whole)
    await rewriteLines(file, change)
    await expect(restore(location, file, "--force"), what).rejects.toMatchObject({
      exitCode: 1,
      message: `The backup ${file} holds rows that contradict each other. Nothing was restored`,
    })
    await expectUntouched()
  }
})

testOnce("a backup of a newer version, or of another root key, is refused, and nothing is touched", async () => {
  const { location, file, expectUntouched } = await target()
  const text = gunzipSync(await readFile(file)).toString("utf8")
  await writeFile(file, gzipSync(text.replace('"001-initial"', '"001-initial","999-from-the-future"')))
  await expect(restore(location, file, "--force")).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringContaining("was taken by a newer version (999-from-the-future)"),
  })

  await writeFile(file, gzipSync(text))
  const elsewhere = await newStoreLocation()
  await expect(restore(elsewhere, file)).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringMatching(/^The root key of this backup is missing\. Put it back as .*root\.key/),
  })
  await writeFile(join(elsewhere.dataDir, "root.key"), "00".repeat(32))
  await expect(restore(elsewhere, file)).rejects.toMatchObject({
    exitCode: 78,
    message: "The root key does not fit this backup: it was sealed with another one. Nothing was changed",
  })
  expect(await readdir(elsewhere.dataDir)).toEqual(["root.key"])
  await expectUntouched()
})

test("a backup of an older version is brought up to date", async () => {
  const older = await newStoreLocation()
  await leaveStoreAt(older, migrations.slice(0, 1))
  const file = await backupFile()
  await backUp(older, file)
  const copy = await restored({ location: older }, file)
  expect(await appliedMigrations(copy.db)).toEqual(migrations.map(({ name }) => name))
  const user = await copy.db.selectFrom("user").select(["id", "email"]).execute()
  expect(user).toEqual([{ id: 7, email: "old@example.com" }])
  expect(await verifyAudit(copy.location)).toMatchObject({ exitCode: 0 })
  // Here a start brings the store up to date, and a command writes the first event.
  await (await opened(older)).close()
  expect(await admin(older, "grant", "old@example.com")).toMatchObject({ exitCode: 0 })
  const intact = [expect.any(String), expect.stringMatching(/^Not chained yet: 1/)]
  expect(await verifyAudit(older)).toMatchObject({ exitCode: 0, out: intact })
})

/** A store as an earlier version has left it, with an account in it. */
async function leaveStoreAt(location: StoreLocation, then: typeof migrations): Promise<void> {
  const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  await migrate(db, { all: then })
  const rootKey = keyOf(Buffer.alloc(32, 5))
  await writeRootKey(join(location.dataDir, "root.key"), rootKey)
  await db
    .insertInto("canary")
    .values({ id: 1, sealed: newCanary(rootKey) })
    .execute()
  const account = { username: "old", email: "old@example.com", email_key: "old@example.com", password_hash: "x" }
  await db
    .insertInto("user")
    .values({ ...account, id: 7, is_admin: 0, created_at: 1 })
    .execute()
  await db.destroy()
}

testOnce("a store that is too damaged to open can be replaced with --force", async () => {
  const { location, file } = await target()
  if (engine === "sqlite") {
    await writeFile(join(location.dataDir, "envkeep.db"), "no database, but long enough to look at. ".repeat(50))
    await expect(restore(location, file)).rejects.toMatchObject({
      message: expect.stringContaining("which is damaged"),
    })
  } else {
    const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
    await sql`drop table item`.execute(db)
    await db.destroy()
  }
  expect((await restore(location, file, "--force")).exitCode).toBe(0)
  expect(await rowsOf(location)).toMatchObject({ item: [{ name: "A" }], user: [{ username: "someone" }] })
})

testOnce("a backup can be restored where the very first start was killed before it made a table", async () => {
  const { app, key, file } = await backedUp()
  const embedded = { dataDir: (await newStoreLocation()).dataDir, databaseUrl: undefined }
  await writeFile(join(embedded.dataDir, "envkeep.db"), "")
  const copy = await restored(app, file, { into: embedded })
  expect((await copy.guest.variables(key)).text).toBe('{"A":"1"}')
})

testOnce("a server that was started, but has no accounts yet, is replaced without --force", async () => {
  const { app, key, file } = await backedUp()
  const fresh = await testApp()
  // What a server does by itself, and what guests can make it do.
  await countToday(fresh.core)
  await fresh.guest.post("/users/login", { email: "guest@example.com", password: "not a password" })
  await fresh.close()
  const { daily_count, audit_event } = await rowsOf(fresh.location)
  expect([daily_count?.length, audit_event?.length]).toEqual([1, 1])

  const copy = await restored(app, file, { into: fresh.location })
  expect((await copy.guest.variables(key)).text).toBe('{"A":"1"}')
})

testOnce("when the audit trail cannot be checked afterwards, it is said what was done all the same", async () => {
  const { app, file } = await backedUp()
  await app.close()
  const rootKey = join(app.location.dataDir, "root.key")
  const { exitCode, out, err } = await callCommand(restoreCommand, app.location, {
    args: [file, "--force"],
    // Once something is restored or checked, the key has been read.
    logQuery: () => rm(rootKey, { force: true }),
  })
  expect([exitCode, out[0]]).toEqual([0, expect.stringMatching(/^Restored 1 account, /)])
  if (engine === "sqlite") expect(out.at(-1)).toMatch(/^The store that was there before is kept as /)
  expect(err).toEqual([
    expect.stringMatching(/^The audit trail could not be checked: The root key of this store is missing/),
  ])
})

testOnce("npm run restore without a file says how it is used", async () => {
  const location = await newStoreLocation()
  for (const args of [[], ["--force"], ["a", "b"], ["-x"]]) {
    expect(await restore(location, ...args)).toEqual({
      exitCode: 2,
      out: [],
      err: ["usage: npm run restore -- <file> [--force]"],
    })
  }
})
