import { type Environment, type StorageUse, sentences } from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { admin, backUp, backupFile, callCommand } from "@envkeep/testing/commands.ts"
import { engine } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { expect, test } from "vitest"
import { doctorCommand } from "../../cli/doctor.ts"

const rowBytes = 512
/** What sealing adds to a value. */
const sealBytes = 29
/** What a replaced or deleted value of so many bytes takes in the history, under a name of so many. */
const pastBytes = (bytes: number, nameBytes = 1) => 128 + 3 * nameBytes + sealBytes + bytes
const quotaBytes = 1_000_000
const refused = { status: 400, body: { error: true, msg: sentences.quotaExceeded(quotaBytes), data: null } }

const withQuota = () => testApp({ env: { ENVKEEP_QUOTA_MB: "1" } })

async function usedBytes(person: Person): Promise<number> {
  return (await person.get<StorageUse>("/users/me/storage")).body.data.usedBytes
}

/** Items of about 60 kB that take up nearly this many bytes together. */
function itemsOf(bytes: number) {
  const value = "x".repeat(60_000)
  const count = Math.floor(bytes / (value.length + sealBytes + rowBytes))
  return Array.from({ length: count }, (_, index) => ({ name: `N${index}`, value }))
}

const save = (person: Person, { id }: { id: number }, items: { name: string; value: string }[]) =>
  person.post(`/subcollection/${id}/bulk`, items)

/** What the doctor says about counts. */
async function wrongCounts({ location }: TestApp): Promise<string[]> {
  const { out } = await callCommand(doctorCommand, location)
  return out.filter((line) => line.includes("wrong"))
}

test("an account is counted what it stores, by every change and also by what a delete takes with it", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const bobs = await bob.environment()
  const collection = await ann.collection()
  const first = await ann.environment("first", collection.id)
  const second = await ann.environment("second", collection.id)
  const item = await ann.item(first, "A", "12345")
  const key = await ann.apiKey(first)
  await ann.apiKey(second)
  expect(await usedBytes(ann)).toBe(6 * rowBytes + sealBytes + 5)

  await ann.put(`/collectionItem/${item.id}`, { name: "RENAMED", value: "123" })
  await save(ann, second, [
    { name: "B", value: "1" },
    { name: "C", value: "ä" },
  ])
  await save(ann, second, [{ name: "C", value: "12" }])
  const pastOfSecond = pastBytes(1) + pastBytes(2)
  expect(await usedBytes(ann)).toBe(7 * rowBytes + 2 * sealBytes + 5 + pastBytes(5) + pastOfSecond)
  expect(await ann.post("/api-key", { name: "ci", subCollectionId: first.id })).toMatchObject({ status: 409 })

  await ann.delete(`/collectionItem/${item.id}`)
  await ann.delete(`/api-key/${key.id}`)
  expect(await usedBytes(ann)).toBe(5 * rowBytes + sealBytes + 2 + pastBytes(5) + pastBytes(3, 7) + pastOfSecond)
  await ann.delete(`/subcollection/${first.id}`)
  await ann.purge("environments", first)
  expect(await usedBytes(ann)).toBe(4 * rowBytes + sealBytes + 2 + pastOfSecond)
  expect((await bob.delete(`/subcollection/${second.id}`)).status).toBe(404)
  await ann.delete(`/collection/${collection.id}`)
  await ann.purge("collections", collection)
  expect(await usedBytes(ann)).toBe(0)
  expect(bobs.id).toBeGreaterThan(0)
  expect(await usedBytes(bob)).toBe(2 * rowBytes)
  expect(await wrongCounts(app)).toEqual([])
})

/** 256 characters of two bytes each: so much longer than what counts with the row. */
const longName = "ü".repeat(256)
const longNameBytes = 256

test("what a name is too long by counts like a value, and is given back with it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, longName, "12345")
  expect(await usedBytes(ann)).toBe(3 * rowBytes + sealBytes + 5 + longNameBytes)
  const renamed = { name: "A", value: "12345" }
  expect((await ann.put(`/collectionItem/${item.id}`, renamed)).status).toBe(200)
  const past = pastBytes(5, 512)
  expect(await usedBytes(ann)).toBe(3 * rowBytes + sealBytes + 5 + past)

  await save(ann, environment, [renamed, { name: longName, value: "" }])
  expect(await usedBytes(ann)).toBe(4 * rowBytes + 2 * sealBytes + 5 + longNameBytes + past)
  expect(await wrongCounts(app)).toEqual([])
  await save(ann, environment, [renamed])
  expect(await usedBytes(ann)).toBe(3 * rowBytes + sealBytes + 5 + past + pastBytes(0, 512))
  expect(await wrongCounts(app)).toEqual([])
})

async function leaveUncounted({ db }: TestApp): Promise<void> {
  await db
    .updateTable("environment")
    .set((eb) => ({ counts_names: 0, sealed_bytes: eb("sealed_bytes", "-", longNameBytes) }))
    .execute()
}

testOnce("an environment that an older version has written counts its long names with its next change", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, longName, "1")
  await leaveUncounted(app)
  await app.db
    .updateTable("user")
    .set((eb) => ({ stored_bytes: eb("stored_bytes", "-", longNameBytes) }))
    .where("stored_bytes", ">", 0)
    .execute()
  expect(await wrongCounts(app)).toEqual([])
  // To count them is no change.
  const unchanged = await save(ann, environment, [{ name: longName, value: "1" }])
  expect(unchanged.body.data).toMatchObject({ revision: 2 })

  await ann.item(environment, "B", "2")
  expect(await usedBytes(ann)).toBe(4 * rowBytes + 2 * (sealBytes + 1) + longNameBytes)
  expect(await wrongCounts(app)).toEqual([])
})

test("long names that are counted late do not refuse a change that adds nothing", async () => {
  const app = await withQuota()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, longName, "1")
  const other = await ann.item(environment, "B", "12")
  // As an older version has left it: the name is not counted, and the account is full.
  await leaveUncounted(app)
  await app.db.updateTable("user").set({ stored_bytes: quotaBytes }).where("stored_bytes", ">", 0).execute()
  expect((await ann.put(`/collectionItem/${other.id}`, { name: "B", value: "34" })).status).toBe(200)
  expect((await ann.put(`/collectionItem/${other.id}`, { name: "B", value: "345" })).status).toBe(400)
})

test("an account can grow to its quota and no further, and deleting forever gives space back", async () => {
  const app = await withQuota()
  const ann = await app.user()
  const full = await ann.environment()
  const other = await ann.environment()
  expect((await save(ann, full, itemsOf(quotaBytes - 10 * rowBytes))).status).toBe(200)
  const before = (await ann.get<StorageUse>("/users/me/storage")).body.data
  expect(before.quotaBytes).toBe(quotaBytes)

  expect(await save(ann, other, itemsOf(200_000))).toMatchObject(refused)
  expect(await usedBytes(ann)).toBe(before.usedBytes)
  expect(await ann.itemsOf(other)).toEqual([])
  expect((await (await app.user()).environment()).name).toBe("production")

  // Only the rows are left to add: each kind is refused.
  const rest = Math.floor((quotaBytes - before.usedBytes) / rowBytes)
  for (let n = 0; n < rest; n++) await ann.collection(`${n}`)
  expect(await ann.post("/collection", { name: "app" })).toMatchObject(refused)
  expect(await ann.post("/subcollection", { name: "x", collectionId: other.collectionId })).toMatchObject(refused)
  expect(await ann.post("/api-key", { name: "ci", subCollectionId: other.id })).toMatchObject(refused)
  const item = { name: "A", value: "1", subCollectionId: other.id }
  expect(await ann.post("/collectionItem", item)).toMatchObject(refused)
  expect((await ann.put(`/subcollection/${other.id}`, { name: "renamed" })).status).toBe(200)

  await ann.delete(`/subcollection/${full.id}`)
  expect(await ann.post("/collectionItem", item)).toMatchObject(refused)
  await ann.purge("environments", full)
  expect((await ann.post("/collectionItem", item)).status).toBe(200)
  expect((await save(ann, other, itemsOf(500_000))).status).toBe(200)
})

testOnce("an account that is over its quota can still read, shrink and change what takes no more space", async () => {
  const roomy = await testApp()
  const before = await roomy.user()
  const environment = await before.environment()
  await save(before, environment, itemsOf(1.96 * quotaBytes))
  const app = await testApp({ env: { ENVKEEP_QUOTA_MB: "1" }, location: roomy.location })
  const cookie = { cookie: before.cookie }
  const [first, second] = await before.itemsOf(environment)

  const longer = { name: "N0", value: "y".repeat(60_001) }
  expect(await app.guest.put(`/collectionItem/${first?.id}`, longer, cookie)).toMatchObject(refused)
  // The value that is replaced stays in the history, which may take as much as the quota again, and no more.
  const asLong = (letter: string) => ({ name: "N0", value: letter.repeat(60_000) })
  expect((await app.guest.put(`/collectionItem/${first?.id}`, asLong("y"), cookie)).status).toBe(200)
  expect(await app.guest.put(`/collectionItem/${first?.id}`, asLong("z"), cookie)).toMatchObject(refused)
  expect((await app.guest.delete(`/collectionItem/${second?.id}`, cookie)).status).toBe(200)
  const fewer = [asLong("y"), ...itemsOf(1.5 * quotaBytes).slice(2)]
  expect((await app.guest.post(`/subcollection/${environment.id}/bulk`, fewer, cookie)).status).toBe(200)
  expect((await before.itemsOf(environment)).length).toBe(fewer.length)
})

test("writers at the same time, also on two nodes, do not exceed the quota together", async () => {
  const app = await withQuota()
  // Two nodes in one process would block each other on SQLite, which has one writer anyway.
  const env = { ENVKEEP_QUOTA_MB: "1" }
  const other = engine === "postgres" ? await testApp({ env, location: app.location }) : app
  const ann = await app.user()
  const environments: Environment[] = []
  for (let n = 0; n < 6; n++) environments.push(await ann.environment())
  const cookie = { cookie: ann.cookie }

  const saves = await Promise.all(
    environments.map(({ id }, at) =>
      (at % 2 === 0 ? app : other).guest.post(`/subcollection/${id}/bulk`, itemsOf(250_000), cookie),
    ),
  )
  expect(saves.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 400, 400])
  expect(await usedBytes(ann)).toBeLessThanOrEqual(quotaBytes)

  const mixed = await Promise.all(
    environments.flatMap(({ id, collectionId }, at) => {
      const { guest } = at % 2 === 0 ? other : app
      return [
        guest.post("/api-key", { name: "ci", subCollectionId: id }, cookie),
        guest.post("/subcollection", { name: "another", collectionId }, cookie),
        guest.post(`/subcollection/${id}/bulk`, itemsOf(100_000), cookie),
        at < 2 ? guest.delete(`/subcollection/${id}`, cookie) : guest.delete(`/collection/${collectionId}`, cookie),
      ]
    }),
  )
  // What is being deleted may be gone before it is written to.
  expect(mixed.map(({ status }) => status).filter((status) => ![200, 400, 404].includes(status))).toEqual([])
  expect(await wrongCounts(app)).toEqual([])
})

test("a wrong counter is found by the doctor, and set right by a recount or a restore", async () => {
  const app = await testApp()
  const ann = await app.user()
  await ann.item(await ann.environment())
  const right = await usedBytes(ann)
  const setWrong = () => app.db.updateTable("user").set({ stored_bytes: 7 }).execute()

  await setWrong()
  expect(await wrongCounts(app)).toEqual([
    expect.stringMatching(
      /^fault: The account someone \(id \d+\) counts what it stores wrong: run `npm run admin -- recount`$/,
    ),
  ])
  expect((await admin(app.location, "recount")).out).toEqual([
    "Counted again what each account stores: 1 count was wrong",
  ])
  expect(await usedBytes(ann)).toBe(right)

  await setWrong()
  const file = await backupFile()
  await backUp(app.location, file)
  const again = await (await restored(app, file)).logIn(ann.email)
  expect(await usedBytes(again)).toBe(right)
})

testOnce("without a quota, what is stored is only shown, and a guest is shown nothing", async () => {
  const app = await testApp({ env: { ENVKEEP_QUOTA_MB: "0" } })
  const ann = await app.user()
  expect(await ann.get("/users/me/storage")).toMatchObject({
    status: 200,
    body: { data: { usedBytes: 0, quotaBytes: null } },
  })
  expect((await app.guest.get("/users/me/storage")).status).toBe(401)
})
