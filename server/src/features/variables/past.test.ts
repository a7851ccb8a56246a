import { variableFormats } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

async function withPast() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  const read = (query: string, headers = {}) => app.guest.variables(key, query, headers)
  return { app, ann, environment, key, read }
}

testOnce(
  "a key reads an earlier revision in every format, the same to the byte and with the same ETag as then",
  async () => {
    const { ann, environment, read } = await withPast()
    const first = await ann.item(environment, "ZEBRA", "first value")
    await ann.item(environment, "APPLE", 'quoted "$HOME"')
    const then = await Promise.all(variableFormats.map((format) => read(`?format=${format}`)))
    await ann.put(`/collectionItem/${first.id}`, { name: "OTHER", value: "second value" })
    await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "ZEBRA", value: "third value" }])

    for (const [index, format] of variableFormats.entries()) {
      const past = await read(`?format=${format}&revision=3`)
      expect([past.status, past.text]).toEqual([200, then[index]?.text])
      const etag = String(then[index]?.headers["etag"])
      expect(past.headers).toMatchObject({
        etag,
        "envkeep-revision": "3",
        "content-type": then[index]?.headers["content-type"],
      })
      expect(await read(`?format=${format}&revision=3`, { "if-none-match": etag })).toMatchObject({
        status: 304,
        text: "",
        headers: { etag },
      })
    }
    expect((await read("?revision=5")).text).toBe((await read("")).text)
  },
)

testOnce("HEAD of a revision has the headers of GET", async () => {
  const { app, ann, environment, key, read } = await withPast()
  await ann.item(environment, "A", "1")
  await ann.item(environment, "B", "2")
  const { headers } = await read("?revision=2")
  const head = await app.guest.send({
    method: "HEAD",
    url: "/api/v1/variables?revision=2",
    headers: { authorization: `Bearer ${key}` },
  })
  expect(head).toMatchObject({ status: 200, text: "" })
  expect(head.headers).toMatchObject({ etag: headers["etag"], "content-length": headers["content-length"] })
})

const notANumber = "A revision must be a whole number from 1 to 9007199254740991"

testOnce.each([
  ["0", 400, notANumber],
  ["-1", 400, notANumber],
  ["1e3", 400, notANumber],
  ["01", 400, notANumber],
  ["", 400, notANumber],
  ["9007199254740992", 400, notANumber],
  ["2&revision=3", 400, notANumber],
  ["3", 404, "Revision not found"],
  ["9007199254740991", 404, "Revision not found"],
])("the revision %j is refused with %d and a sentence", async (revision, status, msg) => {
  const { ann, environment, read } = await withPast()
  await ann.item(environment, "A", "1")
  expect(await read(`?revision=${revision}`)).toMatchObject({ status, body: { error: true, msg, data: null } })
})

test("a revision with an erased value is gone, also for a reader that has it; others are not affected", async () => {
  const { ann, environment, read } = await withPast()
  const item = await ann.item(environment, "TOKEN", "leaked")
  await ann.item(environment, "OTHER", "1")
  await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: "next" })
  const etag = String((await read("?revision=2")).headers["etag"])
  await ann.post(`/environments/${environment.id}/erase`, { name: "TOKEN", revision: 2 })

  const gone = { msg: "A value of this revision was erased, so the revision can no longer be read" }
  for (const query of ["?revision=2", "?revision=3"])
    expect(await read(query)).toMatchObject({ status: 410, body: gone })
  expect(await read("?revision=2", { "if-none-match": etag })).toMatchObject({ status: 410, body: gone })
  expect((await read("?revision=4")).status).toBe(200)
  expect((await read("?revision=1")).text).toBe("{}")
})

testOnce("a format that cannot hold a revision refuses it to a reader that accepts anything it may have", async () => {
  const { ann, environment, read } = await withPast()
  await ann.item(environment, "__proto__", "1")
  for (const query of ["?format=dotenv", "?format=dotenv&revision=2"]) {
    expect(await read(query, { "if-none-match": "*" })).toMatchObject({ status: 422, body: { error: true } })
  }
})

testOnce("a damaged value is left out and named, as in the current state", async () => {
  const { app, ann, environment, read } = await withPast()
  await ann.item(environment, "A", "1")
  await ann.item(environment, "B", "2")
  const damaged = { sealed_value: Buffer.from("damaged") }
  await app.db.updateTable("item_version").set(damaged).where("name", "=", "A").execute()
  expect(await read("?revision=3")).toMatchObject({
    status: 200,
    text: '{"B":"2"}',
    headers: { "envkeep-damaged": "A" },
  })
})

testOnce("a deleted key reads no revision, and another environment's revisions are its own", async () => {
  const { ann, environment, read } = await withPast()
  await ann.item(environment, "A", "1")
  const other = await ann.environment("staging", environment.collectionId)
  const othersKey = await ann.apiKey(other)
  expect((await ann.variables(othersKey.key, "?revision=2")).status).toBe(404)
  await ann.delete(`/subcollection/${environment.id}`)
  expect((await read("?revision=2")).status).toBe(401)
})
