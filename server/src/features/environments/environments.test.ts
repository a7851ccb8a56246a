import type { Environment, environments, OutputOf } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

test("an environment is created, read, renamed and deleted", async () => {
  const ann = await (await testApp()).user()
  const { id: collectionId } = await ann.collection()

  const created = await ann.post<OutputOf<typeof environments.create>>("/subcollection", {
    name: " staging ",
    collectionId,
  })
  const { damaged, ...staging } = created.body.data
  expect(damaged).toBe(0)
  expect(created).toMatchObject({ status: 200, body: { error: false, msg: "Environment created successfully" } })
  expect(staging).toEqual({
    id: staging.id,
    name: "staging",
    collectionId,
    revision: 1,
    itemCount: 0,
    isProtected: false,
    baseId: null,
    valuesHidden: false,
    collectionItems: [],
    apiKeys: [],
  })
  expect((await ann.get(`/subcollection/${staging.id}`)).body.data).toEqual({ ...staging, inherited: [] })
  expect((await ann.get(`/subcollection/all/${collectionId}`)).body.data).toEqual([staging])

  const renamed = await ann.put(`/subcollection/${staging.id}`, { name: "preview" })
  expect(renamed).toMatchObject({ status: 200, body: { msg: "Environment updated successfully" } })
  expect((await ann.get<Environment>(`/subcollection/${staging.id}`)).body.data).toMatchObject({
    name: "preview",
    revision: 2,
  })

  const deleted = await ann.delete(`/subcollection/${staging.id}`)
  expect(deleted).toMatchObject({ status: 200, body: { msg: "Environment deleted successfully", data: null } })
  expect(await ann.get(`/subcollection/${staging.id}`)).toMatchObject({
    status: 404,
    body: { msg: "Environment not found" },
  })
})

testOnce("a blank or too long name is refused with the sentence of its form", async () => {
  const ann = await (await testApp()).user()
  const { id, collectionId } = await ann.environment("kept")
  const create = (name: unknown) => ann.post("/subcollection", { name, collectionId })
  const rename = (name: unknown) => ann.put(`/subcollection/${id}`, { name })

  expect(await create(" ")).toMatchObject({ status: 400, body: { msg: "Environment name is required" } })
  expect(await create(undefined)).toMatchObject({ status: 400, body: { msg: "Environment name is required" } })
  expect(await rename(" ")).toMatchObject({ status: 400, body: { msg: "Name is required" } })
  for (const answer of [await create("n".repeat(101)), await rename("n".repeat(101))]) {
    expect(answer).toMatchObject({ status: 400, body: { msg: "Name can be at most 100 characters" } })
  }
})

test("of two identical creates at the same time, one succeeds and the other is refused", async () => {
  const ann = await (await testApp()).user()
  const { id: collectionId } = await ann.collection()
  const body = { name: "production", collectionId }

  const answers = await Promise.all([ann.post("/subcollection", body), ann.post("/subcollection", body)])

  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
  expect(answers.find((answer) => answer.status === 409)?.body).toEqual({
    error: true,
    msg: "This collection already has an environment with that name",
    data: null,
  })
  expect((await ann.get<Environment[]>(`/subcollection/all/${collectionId}`)).body.data).toHaveLength(1)
})

testOnce("names are unique inside a collection only, for renaming too", async () => {
  const ann = await (await testApp()).user()
  const production = await ann.environment("production")
  const staging = await ann.environment("staging", production.collectionId)

  expect(await ann.put(`/subcollection/${staging.id}`, { name: "production" })).toMatchObject({
    status: 409,
    body: { msg: "This collection already has an environment with that name" },
  })
  expect(await ann.put(`/subcollection/${staging.id}`, { name: "staging" })).toMatchObject({ status: 200 })
  expect((await ann.environment("production")).name).toBe("production")
})

test("deleting a collection forever while environments are added to it leaves nothing behind", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id: collectionId } = await ann.collection()

  const answers = await Promise.all([
    ...Array.from({ length: 10 }, (_, n) => ann.post("/subcollection", { name: `e${n}`, collectionId })),
    ann.delete(`/collection/${collectionId}`),
    ...Array.from({ length: 10 }, (_, n) => ann.post("/subcollection", { name: `f${n}`, collectionId })),
  ])
  const purged = await ann.purge("collections", { id: collectionId, name: "app" })

  for (const { status } of [...answers, purged]) expect([200, 404]).toContain(status)
  expect(await app.db.selectFrom("environment").selectAll().execute()).toEqual([])
})
