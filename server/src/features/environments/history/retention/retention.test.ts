import type { history, OutputOf } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { historyWithRecord, withHistory } from "@envkeep/testing/history.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { recountedBytes } from "../../../../core/stored-bytes.ts"
import { pruneHistory } from "./rules.ts"

type App = Awaited<ReturnType<typeof withHistory>>["app"]

/** What the environment counts, and what its rows say. */
async function countedBytes({ db }: App) {
  const { historyBytes } = await db
    .selectFrom("environment")
    .select((eb) => eb.fn.sum<number>("history_bytes").as("historyBytes"))
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(128 + 3 * octet_length(old.name) + coalesce(length(old.sealed_value), 0)), 0)
      + (select sum(octet_length(note)) from revision) as bytes from item_version old
    where (old.sealed_value is not null or old.erased_at is not null) and exists (select 1 from item_version later
      where later.environment_id = old.environment_id and later.name = old.name and later.revision > old.revision)`.execute(
    db,
  )
  const wrong = await db.selectFrom("user").select("id").where("stored_bytes", "<>", recountedBytes).execute()
  return { historyBytes: Number(historyBytes), ofRows: Number(rows[0]?.bytes), wrong }
}

async function expectRightCounts(app: App): Promise<void> {
  const { historyBytes, ofRows, wrong } = await countedBytes(app)
  expect([historyBytes, wrong]).toEqual([ofRows, []])
}

testOnce("old revisions go, what the kept ones show stays, and the bytes are given back", async () => {
  const { app, ann, path, environment, at, held, revision } = await historyWithRecord(120)
  await expectRightCounts(app)
  const last = await revision()
  const old = last - 40
  await app.db.updateTable("revision").set({ created_at: 1 }).where("number", "<", old).execute()
  const { key } = await ann.apiKey(environment)
  const changesOfFirstKept = async () => (await ann.get(`${path}/history/${old}/changes`)).body
  const changes = await changesOfFirstKept()
  expect(changes).toMatchObject({ data: { changes: [{ before: { state: "set" } }] } })

  expect(await pruneHistory(app.core, { days: 365, newest: 100 })).toEqual({
    environments: 0,
    revisions: 0,
    versions: 0,
  })
  const pruned = await pruneHistory(app.core, { days: 365, newest: 10 })
  expect(pruned).toMatchObject({ environments: 1, revisions: expect.any(Number), versions: expect.any(Number) })
  expect(Math.min(pruned.revisions, pruned.versions)).toBeGreaterThan(20)
  expect(await pruneHistory(app.core, { days: 365, newest: 10 })).toEqual({
    environments: 0,
    revisions: 0,
    versions: 0,
  })

  for (const number of [...held.keys()].filter((one) => one >= old)) expect(await at(number)).toEqual(held.get(number))
  expect(await changesOfFirstKept()).toEqual(changes)
  const gone = { status: 410, body: { msg: "This revision is no longer kept" } }
  expect(await ann.get(`${path}/history/${old - 1}`)).toMatchObject(gone)
  expect(await ann.get(`${path}/history/${last}/changes?since=1`)).toMatchObject(gone)
  expect(await ann.post(`${path}/restore`, { revision: 1 })).toMatchObject(gone)
  expect(await app.guest.variables(key, "?revision=1")).toMatchObject(gone)
  const { revisions } = (await ann.get<OutputOf<typeof history.list>>(`${path}/history`)).body.data
  expect(revisions.at(-1)?.number).toBe(old)
  await expectRightCounts(app)
})

test("a value that has not changed since stays in its item's history, however old it is", async () => {
  const { app, ann, path, environment } = await withHistory()
  await ann.item(environment, "OLD", "kept")
  const other = await ann.item(environment, "OTHER", "0")
  for (let n = 1; n <= 5; n++) await ann.put(`/collectionItem/${other.id}`, { name: "OTHER", value: String(n) })
  await app.db.updateTable("revision").set({ created_at: 1 }).execute()
  await pruneHistory(app.core, { days: 1, newest: 2 })

  const versions = async (name: string) =>
    (await ann.get<OutputOf<typeof history.ofItem>>(`${path}/item-history?name=${name}`)).body.data.versions
  expect((await versions("OLD")).map(({ revision, value }) => [revision, value])).toEqual([[2, "kept"]])
  expect((await versions("OTHER")).map(({ value }) => value)).toEqual(["5", "4", "3"])
})

test("a history that is too large loses its oldest revisions, and an erased value in a kept one stays erased", async () => {
  const { app, ann, path, environment, at, revision } = await withHistory()
  await ann.item(environment, "ERASED", "leaked")
  await ann.put(`/collectionItem/${(await ann.itemsOf(environment))[0]?.id}`, { name: "ERASED", value: "next" })
  await ann.post(`${path}/erase`, { name: "ERASED", revision: 2 })
  const item = await ann.item(environment, "A", "0")
  for (let n = 1; n <= 60; n++) {
    await ann.put(`/collectionItem/${item.id}`, { name: "A", value: `${n}`.padEnd(1_000), note: "🚀".repeat(n) })
  }
  await expectRightCounts(app)
  const maxBytes = 30_000
  const { versions } = await pruneHistory(app.core, { days: undefined, maxBytes })
  expect(versions).toBeGreaterThan(20)
  await expectRightCounts(app)
  const { historyBytes } = await countedBytes(app)
  expect(historyBytes).toBeLessThanOrEqual(maxBytes)
  expect(historyBytes).toBeGreaterThan(maxBytes / 2)
  const last = await revision()
  expect(await at(last)).toEqual({ ERASED: "next", A: "60".padEnd(1_000) })
  expect((await at(last - 5))["A"]).toBe("55".padEnd(1_000))

  // Nothing but what the environment holds now, and what its last revision has replaced.
  await pruneHistory(app.core, { days: undefined, maxBytes: 0 })
  expect(await at(last)).toEqual({ ERASED: "next", A: "60".padEnd(1_000) })
  expect((await ann.get(`${path}/history/${last - 1}`)).status).toBe(410)
  await expectRightCounts(app)
  expect((await countedBytes(app)).historyBytes).toBeLessThan(2_000)
})

test("writers go on while a long history is pruned, and no batch is larger than it may be", async () => {
  const { app, ann, path, environment, revision } = await withHistory()
  const list = (value: string) => Array.from({ length: 700 }, (_, n) => ({ name: `NAME_${n}`, value }))
  for (const value of ["one", "two", "three"]) await ann.post(`/subcollection/${environment.id}/bulk`, list(value))
  const [pruned, written] = await Promise.all([
    pruneHistory(app.core, { days: undefined, maxBytes: 0 }),
    ann.item(environment, "MEANWHILE", "1"),
  ])
  expect(written.revision).toBe(5)
  // The new revision has replaced nothing, so as soon as it is there, nothing old stays.
  const rest = await pruneHistory(app.core, { days: undefined, maxBytes: 0 })
  expect(pruned.versions + rest.versions).toBe(1_400)
  expect((await ann.get(`${path}/history/${await revision()}`)).status).toBe(200)
  await expectRightCounts(app)
})

testOnce(
  "a run that is told to end finishes the environment that it has begun, and leaves the others to the next one",
  async () => {
    const stopping = new AbortController()
    const app = await testApp({
      logQuery: ({ query }) => {
        if (query.sql.startsWith('delete from "item_version"')) stopping.abort()
      },
    })
    const ann = await app.user()
    const list = (value: string) => Array.from({ length: 700 }, (_, n) => ({ name: `NAME_${n}`, value }))
    for (const { id } of [await ann.environment(), await ann.environment()]) {
      for (const value of ["one", "two", "three"]) await ann.post(`/subcollection/${id}/bulk`, list(value))
    }
    const retention = { days: undefined, maxBytes: 0 }
    const half = { environments: 1, versions: 700 }
    expect(await pruneHistory(app.core, retention, stopping.signal)).toMatchObject(half)
    expect(await pruneHistory(app.core, retention)).toMatchObject(half)
    await expectRightCounts(app)
  },
)

test("an account that its history keeps over the quota loses the oldest revisions, and can grow again", async () => {
  const app = await testApp({ env: { ENVKEEP_QUOTA_MB: "1" } })
  const [ann, bob] = [await app.user(), await app.user()]
  const fill = async (person: Person, rotations: number) => {
    const environments = [await person.environment("first"), await person.environment("second")]
    const items = []
    for (const environment of environments) items.push(await person.item(environment, "A", "0"))
    for (let n = 1; n <= rotations; n++) {
      const value = String(n).padEnd(60_000)
      for (const { id } of items) await person.put(`/collectionItem/${id}`, { name: "A", value })
    }
    return environments
  }
  const [first, second] = await fill(ann, 14)
  const bobs = await fill(bob, 2)
  if (first === undefined || second === undefined) throw new Error("no environments")
  const add = () => ann.post("/collectionItem", { name: "NEW", value: "1", subCollectionId: first.id })
  expect((await add()).status).toBe(400)

  const { environments, versions } = await pruneHistory(app.core, { days: undefined })
  expect(environments).toBe(2)
  expect(versions).toBeLessThan(28)
  await expectRightCounts(app)
  expect((await add()).status).toBe(200)
  for (const { id } of bobs) expect((await bob.get(`/environments/${id}/history/1`)).status).toBe(200)
  for (const { id } of [first, second]) {
    expect((await ann.get(`/environments/${id}/history/1`)).status).toBe(410)
    expect((await ann.get(`/environments/${id}/history/15`)).status).toBe(200)
  }
})
