import { type Environment, limits, sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

test("after a bulk save the environment contains exactly the list, and same names keep their ids", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const kept = await ann.item(environment, "KEPT", "old")
  await ann.item(environment, "GONE", "x")
  const same = await ann.item(environment, "SAME", "same")

  const answer = await ann.post(`/subcollection/${environment.id}/bulk`, [
    { name: "NEW", value: "" },
    { name: " KEPT ", value: "first" },
    { name: "", value: "no name" },
    { name: " \t", value: "no name either" },
    { name: "SAME", value: "same" },
    { name: "KEPT", value: "last" },
  ])

  expect(answer).toMatchObject({
    status: 200,
    body: { error: false, msg: "Bulk save successfull", data: { id: environment.id, revision: 5, itemCount: 3 } },
  })
  const items = await ann.itemsOf(environment)
  expect(items.map(({ name, value }) => [name, value])).toEqual([
    ["KEPT", "last"],
    ["SAME", "same"],
    ["NEW", ""],
  ])
  expect(items.slice(0, 2).map((item) => item.id)).toEqual([kept.id, same.id])
})

testOnce.each([
  ["at its beginning", (n: number) => n < 30],
  ["at its end", (n: number) => n >= 30],
  ["everywhere", () => true],
])("a long list that differs %s is saved exactly, and items missing from it are deleted", async (_, differs) => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const save = (list: object[]) => ann.post<Environment>(`/subcollection/${environment.id}/bulk`, list)
  const name = (n: number) => `NAME_${String(n).padStart(2, "0")}`
  await save(Array.from({ length: 60 }, (_, n) => ({ name: name(n), value: `old ${n}` })))
  const before = await ann.itemsOf(environment)

  const values = Array.from({ length: 50 }, (_, n) => (differs(n) ? `new value ${n}` : `old ${n}`))
  const answer = await save(values.map((value, n) => ({ name: name(n), value })))
  expect(answer).toMatchObject({ status: 200, body: { data: { revision: 3, itemCount: 50 } } })
  const expected = before
    .slice(0, 50)
    .map((item, n) => ({ ...item, value: values[n], revision: differs(n) ? 3 : item.revision }))
  expect(await ann.itemsOf(environment)).toEqual(expected)
})

testOnce("a list made from an older revision is not saved over a newer one", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const save = (value: string, query: string) =>
    ann.post<Environment>(`/subcollection/${environment.id}/bulk${query}`, [{ name: "A", value }])
  expect(await save("first", "?revision=1")).toMatchObject({ status: 200, body: { data: { revision: 2 } } })

  const changed = { name: "A", revision: 2, by: "someone", isDeleted: false }
  for (const [stale, conflicts] of [
    ["?revision=1", [changed]],
    ["?revision=3", []],
  ] as const) {
    expect(await save("stale", stale)).toMatchObject({
      status: 409,
      body: {
        msg: "The environment has changed since you loaded it. Nothing was saved; check it and try again",
        data: { conflicts },
      },
    })
  }
  for (const wrong of ["?revision=", "?revision=0", "?revision=2.0", "?revision=x", "?revision=2&revision=2"]) {
    expect(await save("wrong", wrong)).toMatchObject({
      status: 400,
      body: { msg: "A revision must be a whole number from 1 to 9007199254740991" },
    })
  }
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual(["first"])
  // Even if it changes nothing: a client that names a revision wants to know whether it is the current one.
  expect((await save("first", "?revision=1")).status).toBe(409)
  expect(await save("first", "?revision=2")).toMatchObject({ status: 200, body: { data: { revision: 2 } } })
  expect(await save("last", "")).toMatchObject({ status: 200, body: { data: { revision: 3 } } })
})

test("of many lists made from the same revision, exactly one is saved", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      ann.post<Environment>(`/subcollection/${environment.id}/bulk?revision=1`, [{ name: "A", value: String(n) }]),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  const winner = answers.findIndex(({ status }) => status === 200)
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual([String(winner)])
})

testOnce("saving an unchanged list does not raise the revision", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const list = [{ name: "A", value: "1" }]
  const save = async () =>
    (await ann.post<Environment>(`/subcollection/${environment.id}/bulk`, list)).body.data.revision
  expect(await save()).toBe(2)
  expect(await save()).toBe(2)
})

testOnce.each([
  [[], "No data found"],
  [
    [
      { name: " ", value: "v" },
      { name: "", value: "v" },
    ],
    "No data found",
  ],
  [
    [
      { name: "A", value: "v" },
      { nmae: "B", value: "v" },
    ],
    "Item 2: Name is required",
  ],
  [[{ name: "", value: "" }, { name: "B" }], "Item 2: Value is required"],
  [[[]], "Item 1: A JSON object is expected"],
  [{ name: "A", value: "v" }, "The body must be a list of { name, value }"],
  [undefined, "The body must be a list of { name, value }"],
  [[{ name: "A", value: "v" }, "B=v"], "Item 2: A JSON object is expected"],
  [[{ name: "A" }], "Item 1: Value is required"],
  [[{ name: "A", value: null }], "Item 1: Value is required"],
  [[{ name: "A=B", value: "v" }], "Item 1: Name cannot contain an equals sign or a line break"],
  [[{ name: "A", value: "v", id: 1 }], "Item 1: Unknown field: id"],
])("the list %j is refused in plain words and changes nothing", async (list, msg) => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  await ann.item(environment, "KEPT", "value")
  const answer = await ann.post(`/subcollection/${environment.id}/bulk`, list)
  expect(answer).toMatchObject({ status: 400, body: { error: true, msg, data: null } })
  expect(await ann.itemsOf(environment)).toMatchObject([{ name: "KEPT", value: "value" }])
})

testOnce("an environment can hold at most 10,000 items", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const list = Array.from({ length: 10_001 }, (_, n) => ({ name: `NAME_${n}`, value: `value ${n}` }))
  const full = "An environment can hold at most 10,000 items"

  const tooMany = await ann.post(`/subcollection/${environment.id}/bulk`, list)
  expect(tooMany).toMatchObject({ status: 400, body: { msg: full } })

  const twice = [...list.slice(0, -1), { name: "NAME_9999", value: "value 9999" }]
  expect((await ann.post(`/subcollection/${environment.id}/bulk`, twice)).status).toBe(200)
  const oneMore = await ann.post("/collectionItem", { name: "X", value: "v", subCollectionId: environment.id })
  expect(oneMore).toMatchObject({ status: 400, body: { msg: full } })
  const items = await ann.itemsOf(environment)
  expect(items).toHaveLength(10_000)
  expect(items.at(-1)).toMatchObject({ name: "NAME_9999", value: "value 9999" })

  const half = list.slice(0, 5_000).map(({ name }) => ({ name, value: "changed" }))
  expect((await ann.post(`/subcollection/${environment.id}/bulk`, half)).status).toBe(200)
  expect((await ann.itemsOf(environment)).map((item) => item.id)).toEqual(items.slice(0, 5_000).map((item) => item.id))
})

test("after several bulk saves at the same time, the environment contains exactly one of the lists", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const lists = Array.from({ length: 6 }, (_, writer) =>
    Array.from({ length: 50 + writer * 30 }, (_, n) => ({ name: `NAME_${n}`, value: `of writer ${writer}` })),
  )
  const answers = await Promise.all(lists.map((list) => ann.post(`/subcollection/${environment.id}/bulk`, list)))

  expect(answers.map((answer) => answer.status)).toEqual(lists.map(() => 200))
  const saved = (await ann.itemsOf(environment)).map(({ name, value }) => ({ name, value }))
  const winner = lists.find((list) => list[0]?.value === saved[0]?.value)
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
  expect(saved.toSorted(byName)).toEqual(winner?.toSorted(byName))
})

testOnce("an environment and a collection refuse more values than they can hold", async () => {
  const ann = await (await testApp()).user()
  const first = await ann.environment("one")
  const big = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `${name}_${n}`, value: "x".repeat(64 * 1024) }))
  const save = (id: number, count: number) => ann.post(`/subcollection/${id}/bulk`, big("BIG", count))

  expect((await save(first.id, 60)).status).toBe(200)
  const item = { name: "X", value: "x".repeat(64 * 1024), subCollectionId: first.id }
  const answers = []
  for (let n = 0; n < 7; n++) answers.push(await ann.post("/collectionItem", { ...item, name: `X_${n}` }))
  expect(answers.at(-1)).toMatchObject({
    status: 400,
    body: { msg: "An environment can hold at most 4 MiB of values" },
  })
  expect((await ann.get<Environment>(`/subcollection/${first.id}`)).body.data.itemCount).toBeLessThan(64)

  for (const name of ["two", "three", "four"]) {
    const { id } = await ann.environment(name, first.collectionId)
    expect((await save(id, 60)).status).toBe(200)
  }
  const fifth = await ann.environment("five", first.collectionId)
  expect(await save(fifth.id, 60)).toMatchObject({
    status: 400,
    body: { msg: "A collection can hold at most 16 MiB of values" },
  })
  expect((await ann.get<Environment>(`/subcollection/${fifth.id}`)).body.data).toMatchObject({
    itemCount: 0,
    revision: 1,
  })
  expect((await save(first.id, 1)).status).toBe(200)
  expect((await save(fifth.id, 50)).status).toBe(200)
})

testOnce("what names are too long by takes an environment's room", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const long = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `${"🔑".repeat(250)}_${n + 1_000}`, value: "" }))
  const save = (count: number) => ann.post(`/subcollection/${environment.id}/bulk`, long(count))
  // Each has 749 bytes more than its row has room for, and 29 of a sealed value.
  expect(await save(5_400)).toMatchObject({ status: 400, body: { msg: sentences.environmentTooLarge } })
  expect((await save(5_380)).status).toBe(200)
})

test("what a collection holds counts for an editor too, also if a protected environment holds it", async () => {
  const app = await testApp()
  const [ann, editor] = [await app.user(), await app.user()]
  const open = await ann.environment("open")
  const secret = await ann.environment("protected", open.collectionId)
  await ann.put(`/environments/${secret.id}/protection`, { isProtected: true })
  await ann.post(`/collections/${open.collectionId}/members`, { who: editor.email, role: "editor" })
  const full = { sealed_bytes: limits.collectionBytes }
  await app.db.updateTable("environment").set(full).where("id", "=", secret.id).execute()
  expect(await editor.post(`/subcollection/${open.id}/bulk`, [{ name: "A", value: "one more" }])).toMatchObject({
    status: 400,
    body: { msg: "A collection can hold at most 16 MiB of values" },
  })
})
