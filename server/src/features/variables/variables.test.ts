import { setImmediate as nextTurn } from "node:timers/promises"
import { variableFormats } from "@envkeep/contract"
import { formatNames, formats } from "@envkeep/formats"
import { testApp } from "@envkeep/testing/app.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { ignoreUrls } from "@envkeep/testing/leaks.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test, vi } from "vitest"
import { etagOf } from "./etag.ts"

test("an API key reads its environment as JSON or raw text", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "__proto__", 'quoted "value" = $HOME')
  await ann.item(environment, "1", "second")
  const { key } = await ann.apiKey(environment)

  const json = await app.guest.variables(key)
  expect(json).toMatchObject({ status: 200, text: String.raw`{"__proto__":"quoted \"value\" = $HOME","1":"second"}` })
  expect(json.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    etag: etagOf(environment.id, 3, "json"),
  })
  expect(await app.guest.variables(key, "?format=json&_=1")).toMatchObject({ text: json.text })

  const raw = await app.guest.variables(key, "?format=raw")
  expect(raw).toMatchObject({ status: 200, text: '__proto__=quoted "value" = $HOME\n1=second\n' })
  expect(raw.headers).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    etag: etagOf(environment.id, 3, "raw"),
  })
})

testOnce("an empty environment is an empty object", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { key } = await ann.apiKey(await ann.environment())
  expect(await app.guest.variables(key)).toMatchObject({ status: 200, text: "{}" })
  expect(await app.guest.variables(key, "?format=raw")).toMatchObject({ status: 200, text: "" })
})

testOnce("a reader that has the current state gets 304, and the next read after a change returns it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, "A", "1")
  const { key } = await ann.apiKey(environment)
  const etag = String((await app.guest.variables(key)).headers["etag"])
  const readAgain = (ifNoneMatch: string) => app.guest.variables(key, "", { "if-none-match": ifNoneMatch })

  for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    expect(await readAgain(ifNoneMatch)).toMatchObject({ status: 304, text: "", headers: { etag } })
  }
  expect((await readAgain('"other"')).status).toBe(200)
  // As servers before this one wrote it, which may have written the values in another way.
  expect((await readAgain(`"${environment.id}-3-json"`)).status).toBe(200)
  expect((await app.guest.variables(key, "?format=raw", { "if-none-match": etag })).status).toBe(200)

  await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "2" })
  expect(await readAgain(etag)).toMatchObject({ status: 200, text: '{"A":"2"}' })
  await ann.put(`/subcollection/${environment.id}`, { name: "renamed" })
  expect((await readAgain(etag)).headers["etag"]).toBe(etagOf(environment.id, 4, "json"))
})

testOnce("every format is served with its own type, and a refusal names the variables it cannot hold", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const value = "it's $5 & `more`\n"
  const item = await ann.item(environment, "PRICE", value)
  const { key } = await ann.apiKey(environment)
  expect(variableFormats).toEqual(formatNames)
  for (const format of formatNames) {
    const answer = await app.guest.variables(key, `?format=${format}`)
    const expected = formats[format].print([{ name: "PRICE", value }])
    if ("text" in expected) {
      expect([format, answer.status, answer.text]).toEqual([format, 200, expected.text])
      expect(answer.headers["content-type"]).toBe(formats[format].mediaType)
    } else {
      expect([format, answer.status]).toEqual([format, 422])
      expect(answer.body.msg).toBe(`The format ${format} cannot hold PRICE (its value has a line break)`)
    }
  }
  await ann.put(`/collectionItem/${item.id}`, { name: "not an identifier", value })
  expect((await app.guest.variables(key, "?format=shell")).body.msg).toMatch(
    /^The format shell cannot hold not an identifier \(its name /,
  )
})

testOnce("raw refuses a value that it cannot hold, by name; JSON can hold it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "PEM", "line\nline")
  const { key } = await ann.apiKey(environment)
  expect(await app.guest.variables(key, "?format=raw")).toMatchObject({
    status: 422,
    body: { error: true, msg: "The format raw cannot hold PEM (its value has a line break)", data: null },
  })
  expect((await app.guest.variables(key)).text).toBe(String.raw`{"PEM":"line\nline"}`)
})

testOnce.each([["?format=xml"], ["?format="], ["?format=json&format=raw"], ["?format=__proto__"], ["?format=%00"]])(
  "the unknown format %s is refused with the list of formats",
  async (query) => {
    const app = await testApp()
    const ann = await app.user()
    const { key } = await ann.apiKey(await ann.environment())
    expect(await app.guest.variables(key, query)).toMatchObject({
      status: 400,
      body: {
        error: true,
        msg: `Unknown format. The formats are: ${formatNames.join(", ")}`,
        data: null,
      },
    })
  },
)

testOnce("a malformed, deleted, unknown or missing key always gets the same answer", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const gone = await ann.apiKey(environment, "gone")
  await ann.delete(`/api-key/${gone.id}`)
  const { key } = await ann.apiKey(environment)
  const expected = '{"error":true,"msg":"This API key is not valid","data":null}'

  const bad = [gone.key, key.slice(0, -1), `${key}x`, key.toLowerCase(), "x", "ek_"]
  for (const answer of await Promise.all(bad.map((one) => app.guest.variables(one)))) {
    expect([answer.status, answer.text]).toEqual([401, expected])
  }
  for (const authorization of ["", "Bearer", `Basic ${key}`, key, `Bearer ${key} ${key}`]) {
    const answer = await app.guest.get("/v1/variables", { authorization })
    expect([answer.status, answer.text]).toEqual([401, expected])
  }
  expect((await ann.get("/v1/variables")).text).toBe(expected)
  expect((await app.guest.get(`/v1/variables?key=${key}`)).text).toBe(expected)
  ignoreUrls()
  expect((await app.guest.get("/v1/variables", { authorization: `bearer  ${key}` })).status).toBe(200)
})

testOnce("a damaged value makes only that variable fail, and the answer names it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "GOOD", "1")
  const bad = await ann.item(environment, "BÄD, one", "2")
  const { key } = await ann.apiKey(environment)
  await app.db
    .updateTable("item")
    .set({ sealed_value: Buffer.alloc(40) })
    .where("id", "=", bad.id)
    .execute()

  const answer = await app.guest.variables(key)
  expect(answer).toMatchObject({ status: 200, text: '{"GOOD":"1"}' })
  expect(answer.headers["envkeep-damaged"]).toBe("B%C3%84D%2C%20one")
  expect(await ann.itemsOf(environment)).toMatchObject([{ value: "1" }, { id: bad.id, value: null }])

  await ann.put(`/collectionItem/${bad.id}`, { name: bad.name, value: "repaired" })
  expect((await app.guest.variables(key)).headers["envkeep-damaged"]).toBeUndefined()
})

testOnce("sealed values cannot be swapped between rows", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const [a, b] = [await ann.item(environment, "A", "of A"), await ann.item(environment, "B", "of B")]
  const { sealed_value } = await app.db
    .selectFrom("item")
    .select("sealed_value")
    .where("id", "=", a.id)
    .executeTakeFirstOrThrow()
  await app.db.updateTable("item").set({ sealed_value }).where("id", "=", b.id).execute()
  expect(await ann.itemsOf(environment)).toMatchObject([{ value: "of A" }, { value: null }])
})

test("a read answered from memory is identical to one answered from the database", async () => {
  const app = await testApp()
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const ann = await app.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, "ÄNGSTLICH", "żółw 🐢")
  const { key } = await ann.apiKey(environment)
  const read = async (query: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/v1/variables${query}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
    })
    const { date: _, ...rest } = Object.fromEntries(response.headers)
    return { status: response.status, headers: rest, text: await response.text() }
  }
  for (const query of ["", "?format=json", "?format=raw"]) {
    const first = await read(query)
    expect(first.status).toBe(200)
    expect(await read(query)).toEqual(first)
    // A request with an unknown parameter is answered by the router.
    expect(await read(`${query || "?format=json"}&x=1`)).toEqual(first)
    const ifNoneMatch = { "if-none-match": first.headers["etag"] ?? "" }
    expect(await read(query, ifNoneMatch)).toMatchObject({ status: 304, text: "" })
  }
  await ann.put(`/collectionItem/${item.id}`, { name: "B", value: "2" })
  expect((await read("")).text).toBe('{"B":"2"}')
  await ann.delete(`/subcollection/${environment.id}`)
  expect((await read("")).status).toBe(401)
})

test("the time of a key's last use is stored without a database query for each read", async () => {
  const queries: string[] = []
  const app = await testApp({ logQuery: ({ query }) => queries.push(query.sql) })
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  const unused = await ann.apiKey(environment, "unused")
  // Until the node listens for changes, every read queries the database.
  await vi.waitFor(async () => {
    await app.guest.variables(key)
    queries.length = 0
    for (let n = 0; n < 10; n++) expect((await app.guest.variables(key)).status).toBe(200)
    expect(queries).toEqual([])
  }, eventually)

  await app.app.close()
  const rows = await app.db.selectFrom("api_key").select(["id", "last_used_at"]).orderBy("id").execute()
  expect(rows).toEqual([
    { id: expect.any(Number), last_used_at: expect.any(Number) },
    { id: unused.id, last_used_at: null },
  ])
})

testOnce("the first use of a key shows within seconds, with the program that it was", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const { key, id } = await ann.apiKey(environment)
  const read = (userAgent: string, by = key) =>
    app.guest.send({
      method: "GET",
      url: "/api/v1/variables",
      headers: { authorization: `Bearer ${by}`, "user-agent": userAgent },
    })
  const lastUse = async () => (await ann.get(`/api-key/${id}/last-use`)).body.data
  expect(await lastUse()).toBeNull()
  expect((await read("curl/8.5.0 (x86_64-linux-gnu) <b>")).status).toBe(200)
  await vi.waitFor(
    async () =>
      expect(await lastUse()).toEqual({
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        by: "curl/8.5.0",
        from: "127.0.0.0/24",
        secondsAgo: expect.any(Number),
      }),
    eventually,
  )

  // What is no name, or a key, is not kept, nor is anything so long.
  const others = [
    await ann.apiKey(environment, "b"),
    await ann.apiKey(environment, "c"),
    await ann.apiKey(environment, "d"),
  ]
  await read("<script>")
  await read(`curl/${"8".repeat(300)}`, others[0]?.key)
  await read(key, others[1]?.key)
  await read("python-requests/2.32", others[2]?.key)
  await app.app.close()
  const rows = await app.db.selectFrom("api_key").select(["last_used_by"]).orderBy("id").execute()
  expect(rows.map((row) => row.last_used_by)).toEqual([null, null, null, "python-requests/2.32"])
})

testOnce("a damaged collection key is reported as such, and the items it sealed can still be deleted", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, "A", "1")
  const { key } = await ann.apiKey(environment)
  await app.db
    .updateTable("collection")
    .set({ data_key: Buffer.alloc(60) })
    .execute()

  const msg = expect.stringMatching(/^The encryption key of this collection is damaged/)
  expect(await app.guest.variables(key)).toMatchObject({ status: 422, body: { error: true, msg } })
  expect(await ann.itemsOf(environment)).toMatchObject([{ name: "A", value: null }])
  expect(await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "2" })).toMatchObject({ status: 422 })
  expect((await ann.delete(`/collectionItem/${item.id}`)).status).toBe(200)
})

testOnce("the header that names damaged variables has a maximum length", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const list = Array.from({ length: 100 }, (_, n) => ({ name: `${"ä".repeat(200)}${n}`, value: "v" }))
  await ann.post(`/subcollection/${environment.id}/bulk`, [...list, { name: "GOOD", value: "1" }])
  const { key } = await ann.apiKey(environment)
  await app.db
    .updateTable("item")
    .set({ sealed_value: Buffer.alloc(40) })
    .where("name", "!=", "GOOD")
    .execute()
  const { headers, text } = await app.guest.variables(key)
  expect(text).toBe('{"GOOD":"1"}')
  expect(String(headers["envkeep-damaged"]).length).toBeLessThanOrEqual(4_004)
  expect(headers["envkeep-damaged"]).toMatch(/,\.\.\.$/)
})

test("an environment of many rows is read in the order in which it was saved, and always at one revision", async () => {
  const { guest, user } = await testApp()
  const ann = await user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  const names = Array.from({ length: 1_100 }, (_, n) => `NAME_${(n * 7_919) % 1_100}`)
  const save = (value: string) =>
    ann.post(
      `/subcollection/${environment.id}/bulk`,
      names.map((name) => ({ name, value })),
    )
  await save("first-value")
  const order = Object.keys(JSON.parse((await guest.variables(key)).text))
  expect(order).toEqual(names)

  let isOver = false
  const readUntilOver = async () => {
    while (!isOver) {
      const { headers, text } = await guest.variables(key)
      const values = new Set(Object.values(JSON.parse(text)))
      expect([headers["envkeep-revision"], values.size]).toEqual([expect.any(String), 1])
      await nextTurn()
    }
  }
  const reading = Promise.all([readUntilOver(), readUntilOver()])
  for (let n = 0; n < 10; n++) await save(`value-number-${n}`)
  isOver = true
  await reading
})
