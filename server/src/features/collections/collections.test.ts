import type { Collection, CollectionSummary } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"
import { openVault } from "../../keys/root-key.ts"

test("a collection is created, listed, read, renamed and deleted", async () => {
  const ann = await (await testApp()).user()

  const created = await ann.post<Collection>("/collection", { name: "  shop  ", description: " The shop\n" })
  const { id } = created.body.data
  const changedAt = expect.stringMatching(/^\d{4}-.*Z$/)
  const shop = { id, name: "shop", description: " The shop\n", role: "owner", changedAt, subCollections: [] }
  expect(created).toMatchObject({ status: 201, body: { error: false, msg: "Collection created", data: shop } })
  expect((await ann.get("/collection")).body.data).toEqual([shop])
  expect((await ann.get(`/collection/${id}`)).body.data).toEqual(shop)

  const renamed = await ann.put(`/collection/${id}`, { name: "store", description: "" })
  expect(renamed).toMatchObject({ status: 200, body: { msg: "Collection updated successfully" } })
  expect((await ann.get(`/collection/${id}`)).body.data).toEqual({ ...shop, name: "store", description: "" })

  const deleted = await ann.delete(`/collection/${id}`)
  expect(deleted).toMatchObject({ status: 200, body: { msg: "Collection deleted successfully", data: null } })
  expect(await ann.get(`/collection/${id}`)).toMatchObject({ status: 404, body: { msg: "Collection not found" } })
})

testOnce("renaming without a description keeps the current description", async () => {
  const ann = await (await testApp()).user()
  const { body } = await ann.post<Collection>("/collection", { name: "shop", description: "kept" })
  await ann.put(`/collection/${body.data.id}`, { name: "store" })
  expect((await ann.get(`/collection/${body.data.id}`)).body.data).toMatchObject({ name: "store", description: "kept" })
})

test("the list is sorted by id and shows environments without values or keys", async () => {
  const ann = await (await testApp()).user()
  const [first, second] = [await ann.collection("first"), await ann.collection("second")]
  const staging = await ann.environment("staging", first.id)
  const production = await ann.environment("production", first.id)
  await ann.item(production, "TOKEN", "a very secret value")
  const { key } = await ann.apiKey(production)

  const { body, text } = await ann.get<CollectionSummary[]>("/collection")
  expect(body.data).toEqual([
    {
      id: first.id,
      name: "first",
      description: "",
      changedAt: expect.any(String),
      role: "owner",
      subCollections: [
        {
          id: staging.id,
          name: "staging",
          collectionId: first.id,
          revision: 1,
          itemCount: 0,
          isProtected: false,
          baseId: null,
        },
        {
          id: production.id,
          name: "production",
          collectionId: first.id,
          revision: 2,
          itemCount: 1,
          isProtected: false,
          baseId: null,
        },
      ],
    },
    {
      id: second.id,
      name: "second",
      description: "",
      changedAt: expect.any(String),
      role: "owner",
      subCollections: [],
    },
  ])
  expect(text).not.toContain("a very secret value")
  expect(text).not.toContain(key)

  const whole = await ann.get<Collection>(`/collection/${first.id}`)
  expect(whole.body.data.subCollections[1]).toMatchObject({
    collectionItems: [{ name: "TOKEN", value: "a very secret value", subCollectionId: production.id }],
    apiKeys: [{ name: "ci", key, subCollectionId: production.id }],
  })
})

test("every change of a collection, its environments and their items is its last change", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = await ann.collection("shop")
  const lastChange = async () => {
    const [listed] = (await ann.get<CollectionSummary[]>("/collection")).body.data
    const { body } = await ann.get<Collection>(`/collection/${id}`)
    expect(body.data.changedAt).toBe(listed?.changedAt)
    return body.data.changedAt
  }
  const age = async () => {
    await app.db.updateTable("collection").set({ changed_at: 0 }).execute()
    await app.db.updateTable("environment").set({ changed_at: 0 }).execute()
    expect(await lastChange()).toBeNull()
  }

  let environment = 0
  const changes: (() => Promise<{ status: number }>)[] = [
    () => ann.put(`/collection/${id}`, { name: "store" }),
    async () => {
      const made = await ann.post<{ id: number }>("/subcollection", { name: "staging", collectionId: id })
      environment = made.body.data.id
      return made
    },
    () => ann.put(`/subcollection/${environment}`, { name: "production" }),
    () => ann.post("/collectionItem", { name: "A", value: "1", subCollectionId: environment }),
    () => ann.post(`/subcollection/${environment}/bulk`, [{ name: "B", value: "2" }]),
    () => ann.delete(`/subcollection/${environment}`),
  ]
  for (const change of changes) {
    await age()
    expect(await change()).toMatchObject({ status: 200 })
    expect(await lastChange()).toMatch(/^\d{4}-.*Z$/)
  }

  const { id: kept } = await ann.environment("kept", id)
  await age()
  await ann.put(`/subcollection/${kept}`, { name: "kept" })
  await ann.put(`/collection/${id}`, { name: "store" })
  await ann.put(`/collection/${id}`, { name: "store", description: "" })
  await ann.post("/api-key", { name: "ci", subCollectionId: kept })
  expect(await lastChange()).toBeNull()
})

testOnce.each([
  [{}, "Name is required"],
  [{ name: " \t " }, "Name is required"],
  [{ name: null }, "Name is required"],
  [{ name: ["a"] }, "Name must be text"],
  [{ name: "n".repeat(101) }, "Name can be at most 100 characters"],
  [{ name: "n", description: "d".repeat(1001) }, "Description can be at most 1000 characters"],
  [{ name: "n", description: 1 }, "Description must be text"],
  [{ name: "n\0" }, "Name contains a NUL or half of a surrogate pair, which no text can hold"],
])("creating and renaming with %j is refused in plain words", async (body, msg) => {
  const ann = await (await testApp()).user()
  const { id } = await ann.collection("kept")
  expect(await ann.post("/collection", body)).toMatchObject({ status: 400, body: { error: true, msg } })
  expect(await ann.put(`/collection/${id}`, body)).toMatchObject({ status: 400, body: { error: true, msg } })
  expect((await ann.get<Collection[]>("/collection")).body.data).toMatchObject([{ name: "kept" }])
})

testOnce("a name may have 100 characters, even if JavaScript counts each of them twice", async () => {
  const ann = await (await testApp()).user()
  const name = "🗝".repeat(100)
  expect((await ann.post<Collection>("/collection", { name })).body.data.name).toBe(name)
})

test("deleting a collection forever deletes its environments, items and keys", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment)
  const { key } = await ann.apiKey(environment)

  await ann.delete(`/collection/${environment.collectionId}`)

  expect((await ann.get(`/subcollection/${environment.id}`)).status).toBe(404)
  expect((await app.guest.variables(key)).status).toBe(401)
  await ann.purge("collections", { id: environment.collectionId, name: "app" })
  for (const table of ["collection", "environment", "item", "item_version", "revision", "api_key"] as const) {
    expect(await app.db.selectFrom(table).selectAll().execute()).toEqual([])
  }
})

testOnce("a damaged canary does not stop reads, writes or new collections, and the next start repairs it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const start = (rootKey?: Uint8Array) => openVault(app.db, { dataDir: app.location.dataDir, rootKey }, () => undefined)
  for (const damage of [
    () =>
      app.db
        .updateTable("canary")
        .set({ sealed: Buffer.from("rubbish") })
        .execute(),
    () => app.db.deleteFrom("canary").execute(),
  ]) {
    await damage()
    const made = await ann.environment("production", (await ann.collection("created after the damage")).id)
    expect((await ann.item(made, "B", "2")).value).toBe("2")
    expect((await ann.itemsOf(environment)).map((item) => item.value)).toEqual(["1"])

    await expect(start(Buffer.alloc(32, 1))).rejects.toThrow("The root key does not fit this store")
    await start()
    await expect(start(Buffer.alloc(32, 1))).rejects.toThrow("The root key does not fit this store")
  }
})
