import { limits, sentences } from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import type { CompiledQuery } from "kysely"
import { expect, test } from "vitest"

const totalIn = async (person: Person, trash: string) => (await person.get<{ total: number }>(trash)).body.data.total

const restore = async (person: Person, kind: "collections" | "environments", { id }: { id: number }) =>
  (await person.post<{ name: string }>(`/trash/${kind}/${id}/restore`)).body.data.name

interface EnvironmentRow {
  name: string
  trashed_at?: number
  trashed_name?: string
}

const rowsPerInsert = 2_000

async function addEnvironments({ db }: TestApp, collectionId: number, rows: EnvironmentRow[]): Promise<void> {
  const empty = { collection_id: collectionId, revision: 1, item_count: 0, sealed_bytes: 0 }
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    const some = rows.slice(at, at + rowsPerInsert).map((row) => ({ ...empty, ...row }))
    await db.insertInto("environment").values(some).execute()
  }
}

const trashedEnvironments = (count: number): EnvironmentRow[] =>
  Array.from({ length: count }, (_, n) => ({
    name: ` e${n}`,
    trashed_name: `e${n}`,
    trashed_at: 1_000 + n,
  }))

async function addTrashedCollections({ db }: TestApp, person: Person, count: number): Promise<void> {
  for (let left = count; left > 0; left -= rowsPerInsert) {
    await addCollections(db, person, Math.min(left, rowsPerInsert), { trashed_at: Date.now() })
  }
}

test("a trash with more collections than one statement marks is emptied as a whole", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { username } = (await ann.get<{ username: string }>("/users/me")).body.data
  await addTrashedCollections(app, ann, 1_100)
  expect(await totalIn(ann, "/trash")).toBe(1_100)
  expect((await ann.post("/trash/empty", { name: username })).status).toBe(200)
  expect(await totalIn(ann, "/trash")).toBe(0)
})

testOnce("a collection's trash is emptied as a whole, some environments in each statement", async () => {
  const executed: CompiledQuery[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(query) })
  const ann = await app.user()
  const { collectionId } = await ann.environment()
  const other = await ann.collection("other")
  await addEnvironments(app, collectionId, trashedEnvironments(1_100))
  await addEnvironments(app, other.id, trashedEnvironments(1))
  executed.length = 0
  expect((await ann.post(`/collections/${collectionId}/trash/empty`, { name: "app" })).status).toBe(200)

  const marks = executed.filter(({ sql }) => sql.startsWith('update "environment" set "trashed_at"'))
  // The time, and an id for each row.
  expect(marks.map(({ parameters }) => parameters.length - 1)).toEqual([500, 500, 100])
  expect(await totalIn(ann, `/collections/${collectionId}/trash`)).toBe(0)
  expect(await totalIn(ann, `/collections/${other.id}/trash`)).toBe(1)
  expect((await ann.get<unknown[]>(`/subcollection/all/${collectionId}`)).body.data).toHaveLength(1)
})

const refused = (msg: string) => ({ status: 400, body: { error: true, msg, data: null } })

testOnce("with 10,000 collections in the trash none can be created, but each can be deleted and restored", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { username } = (await ann.get<{ username: string }>("/users/me")).body.data
  const live = await ann.collection("live")
  const create = (person: Person) => person.post<{ id: number }>("/collection", { name: "new" })
  await addTrashedCollections(app, ann, limits.trashedCollectionsPerAccount - 1)
  const last = await create(ann)
  expect(last.status).toBe(201)
  await ann.delete(`/collection/${last.body.data.id}`)

  const full = refused(sentences.tooManyTrashedCollections)
  expect(await create(ann)).toMatchObject(full)
  expect(await ann.post(`/collections/${live.id}/duplicate`, { name: "copy", what: "values" })).toMatchObject(full)
  expect((await create(bob)).status).toBe(201)
  expect((await ann.post("/subcollection", { name: "production", collectionId: live.id })).status).toBe(200)
  expect((await ann.delete(`/collection/${live.id}`)).status).toBe(200)
  expect(await totalIn(ann, "/trash")).toBe(10_001)
  expect(await restore(ann, "collections", live)).toBe("live")

  // As if the process had ended after the mark: lists still go through them.
  await app.db.updateTable("collection").set({ trashed_at: 0 }).where("trashed_at", ">", 0).execute()
  expect(await totalIn(ann, "/trash")).toBe(0)
  expect(await create(ann)).toMatchObject(full)
  await app.db.updateTable("collection").set({ trashed_at: 1_000 }).where("trashed_at", "=", 0).execute()
  expect((await ann.post("/trash/empty", { name: username })).status).toBe(200)
  expect((await create(ann)).status).toBe(201)
})

testOnce(
  "with 10,000 environments in a collection's trash none can be created, but each can be deleted and restored",
  async () => {
    const app = await testApp()
    const [ann, bob] = [await app.user(), await app.user()]
    const live = await ann.environment("live")
    const { collectionId } = live
    const create = (from?: { environmentId: number; what: string }) =>
      ann.post<{ id: number }>("/subcollection", { name: "new", collectionId, from })
    await addEnvironments(app, collectionId, trashedEnvironments(limits.trashedEnvironmentsPerCollection - 1))
    const last = await create()
    expect(last.status).toBe(200)
    await ann.delete(`/subcollection/${last.body.data.id}`)

    const full = refused(sentences.tooManyTrashedEnvironments)
    expect(await create()).toMatchObject(full)
    for (const what of ["values", "names", "inherit"]) {
      expect(await create({ environmentId: live.id, what })).toMatchObject(full)
    }
    expect(await bob.post("/subcollection", { name: "new", collectionId })).toMatchObject({ status: 404 })
    await ann.environment("in another", (await ann.collection()).id)
    const duplicate = { name: "copy", what: "values" }
    expect((await ann.post(`/collections/${collectionId}/duplicate`, duplicate)).status).toBeLessThan(300)
    expect((await ann.delete(`/subcollection/${live.id}`)).status).toBe(200)
    expect(await totalIn(ann, `/collections/${collectionId}/trash`)).toBe(10_001)
    expect(await restore(ann, "environments", live)).toBe("live")

    await app.db.updateTable("environment").set({ trashed_at: 0 }).where("trashed_at", ">", 0).execute()
    expect(await totalIn(ann, `/collections/${collectionId}/trash`)).toBe(0)
    expect(await create()).toMatchObject(full)
    await app.db.updateTable("environment").set({ trashed_at: 1_000 }).where("trashed_at", "=", 0).execute()
    expect((await ann.post(`/collections/${collectionId}/trash/empty`, { name: "app" })).status).toBe(200)
    expect((await create()).status).toBe(200)
  },
)
