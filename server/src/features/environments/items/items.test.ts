import type { Environment, Item } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

test("an item is created, changed and deleted, and each change raises the revision by one", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const revision = async () => (await ann.get<Environment>(`/subcollection/${environment.id}`)).body.data.revision

  const created = await ann.post<Item>("/collectionItem", {
    name: " TOKEN ",
    value: " spaces stay ",
    subCollectionId: environment.id,
  })
  const { id } = created.body.data
  const item = { id, name: "TOKEN", value: " spaces stay ", subCollectionId: environment.id, revision: 2 }
  expect(created).toMatchObject({ status: 200, body: { msg: "Item created successfully", data: item } })
  expect(await ann.itemsOf(environment)).toEqual([item])
  expect(await revision()).toBe(2)

  const changed = await ann.put(`/collectionItem/${id}`, { name: "SECRET", value: "" })
  const secret = { id, name: "SECRET", value: "", subCollectionId: environment.id, revision: 3 }
  expect(changed).toMatchObject({ status: 200, body: { msg: "Item updated successfully", data: secret } })
  expect(await ann.itemsOf(environment)).toEqual([secret])
  expect(await revision()).toBe(3)

  await ann.put(`/collectionItem/${id}`, { name: "SECRET", value: "" })
  expect(await revision()).toBe(3)

  const deleted = await ann.delete(`/collectionItem/${id}`)
  expect(deleted).toMatchObject({ status: 200, body: { msg: "Item deleted successfully", data: null } })
  expect(await ann.itemsOf(environment)).toEqual([])
  expect(await revision()).toBe(4)
  expect(await ann.delete(`/collectionItem/${id}`)).toMatchObject({ status: 404, body: { msg: "Item not found" } })
})

const exact = [
  "line one\nline two\r\n\ttabbed\r",
  "\u0001\u001b[31m\u007f",
  "  leading and trailing  ",
  "$HOME `id` \"quoted\" 'single' \\n # no comment",
  "żółw 🐢 \u{10ffff} \ufeff\u2028\u0000".replaceAll("\u0000", ""),
  "e\u0301 and é stay different",
  "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n",
  "x".repeat(64 * 1024),
]

test("values come back byte for byte", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  for (const [n, value] of exact.entries()) await ann.item(environment, `NAME_${n}`, value)
  expect((await ann.itemsOf(environment)).map((item) => item.value)).toEqual(exact)

  const list = exact.map((value, n) => ({ name: `BULK ${n}`, value }))
  await ann.post(`/subcollection/${environment.id}/bulk`, list)
  expect((await ann.itemsOf(environment)).map(({ name, value }) => ({ name, value }))).toEqual(list)
})

test("unusual names work like any other", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const names = [
    "__proto__",
    "constructor",
    "toString",
    "1",
    "0",
    "ÄÖÜ",
    "a b",
    "'; drop table item; --",
    "🗝".repeat(256),
  ]
  for (const name of names) expect((await ann.item(environment, name, name)).name).toBe(name)
  expect((await ann.itemsOf(environment)).map((item) => item.value)).toEqual(names)
})

const tooLong = "Name can be at most 256 characters"
const breaksLine = "Name cannot contain an equals sign or a line break"
const notStorable = "contains a NUL or half of a surrogate pair, which no text can hold"

testOnce.each([
  [{}, "Please fill all fields"],
  [{ name: " ", value: "v" }, "Please fill all fields"],
  [{ name: "N", value: "" }, "Please fill all fields"],
  [{ name: "N", value: " \n" }, "Please fill all fields"],
  [{ name: "N".repeat(257), value: "v" }, tooLong],
  [{ name: "A=B", value: "v" }, breaksLine],
  [{ name: "A\nB", value: "v" }, breaksLine],
  [{ name: "A\rB", value: "v" }, breaksLine],
  [{ name: "A\0B", value: "v" }, `Name ${notStorable}`],
  [{ name: "A\ud800", value: "v" }, `Name ${notStorable}`],
  [{ name: "N", value: "a\0b" }, `Value ${notStorable}`],
  [{ name: "N", value: "a\udc00b" }, `Value ${notStorable}`],
  [{ name: "N", value: "ä".repeat(32 * 1024 + 1) }, "Value can be at most 64 KiB"],
  [{ name: "N", value: 5 }, "Value must be text"],
  [{ name: { a: 1 }, value: "v" }, "Name must be text"],
])("creating an item from %j is refused in plain words and changes nothing", async (body, msg) => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const answer = await ann.post("/collectionItem", { ...body, subCollectionId: environment.id })
  expect(answer).toMatchObject({ status: 400, body: { error: true, msg, data: null } })
  expect((await ann.get(`/subcollection/${environment.id}`)).body.data).toMatchObject({
    revision: 1,
    collectionItems: [],
  })
})

testOnce("changing an item requires a name and a value, which may be empty", async () => {
  const ann = await (await testApp()).user()
  const item = await ann.item(await ann.environment())
  const change = (body: object) => ann.put(`/collectionItem/${item.id}`, body)
  expect(await change({ name: " ", value: "v" })).toMatchObject({ status: 400, body: { msg: "Name is required" } })
  expect(await change({ name: "N" })).toMatchObject({ status: 400, body: { msg: "Value is required" } })
  expect(await change({ name: "N", value: "" })).toMatchObject({ status: 200 })
})

test("names are unique inside an environment: of two identical creates at the same time, one succeeds", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const body = { name: "TOKEN", value: "v", subCollectionId: environment.id }
  const answers = await Promise.all([ann.post("/collectionItem", body), ann.post("/collectionItem", body)])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
  expect(answers.find((answer) => answer.status === 409)?.body.msg).toBe(
    "This environment already has an item with that name",
  )

  const other = await ann.item(environment, "OTHER")
  expect((await ann.put(`/collectionItem/${other.id}`, { name: "TOKEN", value: "v" })).status).toBe(409)
  expect((await ann.get<Environment>(`/subcollection/${environment.id}`)).body.data).toMatchObject({
    revision: 3,
    itemCount: 2,
  })
})

test("nothing is lost when many items are written at the same time", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  await Promise.all(Array.from({ length: 40 }, (_, n) => ann.item(environment, `NAME_${n}`, `value ${n}`)))
  const whole = (await ann.get<Environment>(`/subcollection/${environment.id}`)).body.data
  expect(whole).toMatchObject({ revision: 41, itemCount: 40 })
  expect(new Set(whole.collectionItems.map((item) => `${item.name}=${item.value}`))).toEqual(
    new Set(Array.from({ length: 40 }, (_, n) => `NAME_${n}=value ${n}`)),
  )
})

test("deleting a collection while items are written to it succeeds, and deleting it forever leaves nothing behind", async () => {
  const app = await testApp()
  const ann = await app.user()
  for (let round = 0; round < 4; round++) {
    const environment = await ann.environment()
    const write = (n: number) =>
      ann.post("/collectionItem", { name: `NAME_${n}`, value: "v", subCollectionId: environment.id })
    const deleted = round % 2 === 0 ? `/collection/${environment.collectionId}` : `/subcollection/${environment.id}`
    const earlier = Array.from({ length: 12 }, (_, n) => write(n))
    const removal = ann.delete(deleted)
    const later = Array.from({ length: 12 }, (_, n) => write(100 + n))
    expect((await removal).status).toBe(200)
    for (const { status } of await Promise.all([...earlier, ...later])) expect([200, 404]).toContain(status)
    if (round % 2 === 0) await ann.purge("collections", { id: environment.collectionId, name: "app" })
    else await ann.purge("environments", environment)
  }
  expect(await app.db.selectFrom("item").selectAll().execute()).toEqual([])
})

testOnce("long values are loaded a few at a time, so that no one waits for all of them", async () => {
  const loads: number[] = []
  const app = await testApp({
    logQuery: ({ query }) => {
      if (/from "item"/.test(query.sql)) loads.push(query.parameters.length)
    },
  })
  const ann = await app.user()
  const environment = await ann.environment()
  const items = Array.from({ length: 48 }, (_, n) => ({ name: `NAME_${n}`, value: `${n}`.repeat(32 * 1024) }))
  await ann.post(`/subcollection/${environment.id}/bulk`, items)
  loads.length = 0
  const read = (await ann.itemsOf(environment)).map(({ name, value }) => ({ name, value }))
  expect(read).toEqual(items)
  expect(loads.length).toBeGreaterThanOrEqual(3)
})
