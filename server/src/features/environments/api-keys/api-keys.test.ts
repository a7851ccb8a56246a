import type { Collection, ListedApiKey } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"
import { checksum } from "../../../keys/token.ts"

test("a key is created, listed with its environment and collection, and deleted", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment("production")

  const created = await ann.post<ListedApiKey>("/api-key", { name: " ci ", subCollectionId: environment.id })
  const key = created.body.data
  expect(created).toMatchObject({
    status: 200,
    body: { error: false, msg: "API Key created successfully", data: { name: "ci", subCollectionId: environment.id } },
  })
  expect(key.key).toMatch(/^ek_[0-9A-Za-z]{46}$/)
  expect(key.key?.slice(-6)).toBe(checksum(key.key?.slice(0, -6) ?? ""))
  expect((await ann.get("/api-key")).body.data).toEqual([
    { ...key, subCollectionName: "production", collectionName: "app" },
  ])

  const deleted = await ann.delete(`/api-key/${key.id}`)
  expect(deleted).toMatchObject({ status: 200, body: { msg: "API Key deleted successfully", data: null } })
  expect((await ann.get("/api-key")).body.data).toEqual([])
  expect(await ann.delete(`/api-key/${key.id}`)).toMatchObject({ status: 404, body: { msg: "API Key not found" } })
})

test("the many programs of a key are deleted before it, some in each statement, and only if the key may be deleted", async () => {
  const deletions: string[] = []
  const { db, user } = await testApp({
    logQuery: ({ query }) =>
      void deletions.push(...(/^delete from "(instance|api_key)"/.exec(query.sql)?.slice(1) ?? [])),
  })
  const [ann, bob] = [await user(), await user()]
  const environment = await ann.environment()
  const [{ id }, other] = [await ann.apiKey(environment), await ann.apiKey(environment, "other")]
  await addInstances(id, 1_200)
  await addInstances(other.id, 499)

  expect((await bob.delete(`/api-key/${id}`)).status).toBe(404)
  expect(deletions).toEqual([])
  expect((await ann.delete(`/api-key/${id}`)).status).toBe(200)
  expect(deletions).toEqual(["instance", "instance", "instance", "api_key"])
  const left = await db.selectFrom("instance").select("api_key_id as keyId").execute()
  expect(left).toEqual(Array(499).fill({ keyId: other.id }))
  // Few go with the key.
  deletions.length = 0
  expect((await ann.delete(`/api-key/${other.id}`)).status).toBe(200)
  expect(deletions).toEqual(["api_key"])
  expect(await db.selectFrom("instance").select("id").execute()).toEqual([])

  async function addInstances(keyId: number, count: number): Promise<void> {
    const seenAt = Date.now()
    const times = { since_at: seenAt, first_seen_at: seenAt, seen_at: seenAt, gone_at: seenAt + 3_600_000 }
    const row = { api_key_id: keyId, environment_id: environment.id, process: "a", client: "", address: "", ...times }
    const rows = Array.from({ length: count }, (_, n) => ({
      ...row,
      label: `host-${n}`,
      revision: 1,
      is_watching: 0,
      is_once: 1,
    }))
    await db.insertInto("instance").values(rows).execute()
  }
})

testOnce("a list of thousands of keys is read in batches, and is whole and sorted", async () => {
  const { user, db } = await testApp()
  const ann = await user()
  const environments = [await ann.environment("a"), await ann.environment("b"), await ann.environment("c")]
  const added = Array.from({ length: 4_500 }, (_, n) => ({
    environment_id: environments[n % 3]?.id ?? 0,
    name: `k${n}`,
    key_hash: `hash ${n}`,
    sealed_key: Buffer.from("damaged"),
    created_at: 0,
  }))
  await inserts(added.slice(0, 2_500))
  await inserts(added.slice(2_500))

  const { data } = (await ann.get<ListedApiKey[]>("/api-key")).body
  expect(data.map(({ name, subCollectionName }) => [name, subCollectionName])).toEqual(
    added.map(({ name }, n) => [name, ["a", "b", "c"][n % 3]]),
  )

  async function inserts(rows: typeof added): Promise<void> {
    await db.insertInto("api_key").values(rows).execute()
  }
})

test("a key's name is required, and unique inside its environment", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const create = (name: unknown) => ann.post("/api-key", { name, subCollectionId: environment.id })
  expect(await create("  ")).toMatchObject({ status: 400, body: { msg: "Name is required" } })
  expect(await create("k".repeat(101))).toMatchObject({
    status: 400,
    body: { msg: "Name can be at most 100 characters" },
  })
  const answers = await Promise.all([create("ci"), create("ci")])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
  expect(answers.find((answer) => answer.status === 409)?.body.msg).toBe(
    "This environment already has an API key with that name",
  )
})

testOnce("creating or deleting a key does not change the environment's revision", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const { id } = await ann.apiKey(environment)
  await ann.delete(`/api-key/${id}`)
  expect((await ann.get(`/subcollection/${environment.id}`)).body.data).toMatchObject({ revision: 1 })
})

testOnce("the store contains no usable key, only its hash and a sealed copy", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { key } = await ann.apiKey(await ann.environment())
  const rows = await app.db.selectFrom("api_key").selectAll().execute()
  expect(Buffer.from(JSON.stringify(rows)).includes(key)).toBe(false)
  expect(Buffer.from(rows[0]?.sealed_key ?? []).includes(key)).toBe(false)
})

testOnce("a key whose sealed copy is damaged still works, but can no longer be shown", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const { key } = await ann.apiKey(environment)
  await app.db
    .updateTable("api_key")
    .set({ sealed_key: Buffer.from("damaged") })
    .execute()

  const whole = await ann.get<Collection>(`/collection/${environment.collectionId}`)
  expect(whole.body.data.subCollections[0]?.apiKeys).toMatchObject([{ name: "ci", key: null }])
  expect((await app.guest.variables(key)).text).toBe('{"A":"1"}')
})

testOnce("a collection key that does not open is looked for once, however many API keys it sealed", async () => {
  let lookUps = 0
  const app = await testApp({
    logQuery: ({ query: { sql } }) => {
      if (sql.includes('from "root_key_bridge"')) lookUps++
    },
  })
  const ann = await app.user()
  const environment = await ann.environment()
  for (const name of ["a", "b", "c"]) await ann.apiKey(environment, name)
  await app.db
    .updateTable("collection")
    .set({ data_key: Buffer.alloc(60) })
    .execute()
  lookUps = 0
  expect((await ann.get("/api-key")).body.data).toMatchObject([{ key: null }, { key: null }, { key: null }])
  expect(lookUps).toBe(1)
})
