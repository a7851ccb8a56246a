import type { OutputOf, StorageUse } from "@envkeep/contract"
import {
  type CollectionSummary,
  type Counters,
  type Environment,
  limits,
  sentences,
  type trash,
} from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile, callCommand, rotate } from "@envkeep/testing/commands.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { expect, test } from "vitest"
import { doctorCommand } from "../../cli/doctor.ts"
import { purgeExpiredTrash } from "./rules.ts"

type TrashedCollections = OutputOf<typeof trash.listCollections>
type TrashedEnvironments = OutputOf<typeof trash.listEnvironments>

const dayMs = 24 * 60 * 60 * 1000

const collectionsIn = async (person: Person) => (await person.get<TrashedCollections>("/trash")).body.data
const environmentsIn = async (person: Person, collectionId: number) =>
  (await person.get<TrashedEnvironments>(`/collections/${collectionId}/trash`)).body.data

const restoreEnvironment = (person: Person, { id }: { id: number }) =>
  person.post<{ name: string }>(`/trash/environments/${id}/restore`)
const restoreCollection = (person: Person, id: number) =>
  person.post<{ name: string }>(`/trash/collections/${id}/restore`)

/** An environment with an item, an API key and some history. */
async function filled(person: Person, name = "production", collectionId?: number) {
  const environment = await person.environment(name, collectionId)
  const item = await person.item(environment, "A", "first value")
  await person.put(`/collectionItem/${item.id}`, { name: "A", value: "second value" })
  const { key } = await person.apiKey(environment)
  return { ...environment, key }
}

async function rowsIn({ db }: TestApp) {
  const tables = ["collection", "environment", "item", "item_version", "revision", "api_key"] as const
  const counts: number[] = []
  for (const table of tables) counts.push((await db.selectFrom(table).selectAll().execute()).length)
  return counts
}

test("a deleted environment is in the trash of its collection, and comes back whole", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await filled(ann)
  const { collectionId, key } = environment
  const before = (await ann.get<Environment>(`/subcollection/${environment.id}`)).body.data
  const history = (await ann.get(`/environments/${environment.id}/history`)).text
  expect((await app.guest.variables(key)).text).toBe('{"A":"second value"}')

  expect((await ann.delete(`/subcollection/${environment.id}`)).body.msg).toBe("Environment deleted successfully")
  expect((await app.guest.variables(key)).status).toBe(401)
  expect((await ann.get<CollectionSummary[]>("/collection")).body.data[0]?.subCollections).toEqual([])
  const { entries, ...rest } = await environmentsIn(ann, collectionId)
  expect(rest).toEqual({ total: 1, keptDays: 30 })
  const [entry] = entries
  expect(entry).toMatchObject({ id: environment.id, name: "production", deletedBy: "someone", itemCount: 1 })
  expect(Date.parse(entry?.expiresAt ?? "") - Date.parse(entry?.deletedAt ?? "")).toBe(30 * dayMs)

  expect(await restoreEnvironment(ann, environment)).toMatchObject({
    status: 200,
    body: {
      msg: "Environment restored successfully",
      data: { id: environment.id, name: "production", collectionId, isBaseLost: false },
    },
  })
  expect((await ann.get<Environment>(`/subcollection/${environment.id}`)).body.data).toMatchObject({
    ...before,
    apiKeys: [{ key }],
  })
  expect((await ann.get(`/environments/${environment.id}/history`)).text).toBe(history)
  expect((await app.guest.variables(key)).text).toBe('{"A":"second value"}')
  expect(await environmentsIn(ann, collectionId)).toMatchObject({ entries: [], total: 0 })
})

test("a restored collection has what it had, but not what was in the trash before it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const kept = await filled(ann)
  const { collectionId } = kept
  const deletedBefore = await filled(ann, "staging", collectionId)
  await ann.delete(`/subcollection/${deletedBefore.id}`)

  expect((await ann.delete(`/collection/${collectionId}`)).body.msg).toBe("Collection deleted successfully")
  expect((await app.guest.variables(kept.key)).status).toBe(401)
  const [entry] = (await collectionsIn(ann)).entries
  expect(entry).toMatchObject({ id: collectionId, name: "app", environmentCount: 1, itemCount: 1 })
  expect(await restoreEnvironment(ann, deletedBefore)).toMatchObject({ status: 404 })

  expect(await restoreCollection(ann, collectionId)).toMatchObject({
    body: { data: { id: collectionId, name: "app" } },
  })
  const [listed] = (await ann.get<CollectionSummary[]>("/collection")).body.data
  expect(listed?.subCollections.map(({ name }) => name)).toEqual(["production"])
  expect((await app.guest.variables(kept.key)).status).toBe(200)
  expect((await app.guest.variables(deletedBefore.key)).status).toBe(401)
  expect((await environmentsIn(ann, collectionId)).entries).toMatchObject([{ name: "staging" }])
})

testOnce("watchers learn that their key is gone, and a restored key can be watched again", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await filled(ann)
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const watch = async () =>
    readEvents(
      await fetch(`${url}/api/v1/variables/watch`, { headers: { authorization: `Bearer ${environment.key}` } }),
    )
  for (const [path, restore] of [
    [`/subcollection/${environment.id}`, () => restoreEnvironment(ann, environment)],
    [`/collection/${environment.collectionId}`, () => restoreCollection(ann, environment.collectionId)],
  ] as const) {
    const events = await watch()
    expect((await events.next()).value).toMatchObject({ event: "revision" })
    await ann.delete(path)
    expect((await events.next()).value).toMatchObject({ event: "gone" })
    await restore()
  }
  const events = await watch()
  expect((await events.next()).value).toMatchObject({ event: "revision" })
  await events.return(undefined)
})

test("the name of what was deleted is free, and a restored name that is taken gets a number", async () => {
  const app = await testApp()
  const ann = await app.user()
  const collection = await ann.collection("app")
  const environment = await filled(ann, "production", collection.id)
  const { revision } = (await ann.get<Environment>(`/subcollection/${environment.id}`)).body.data
  await ann.delete(`/subcollection/${environment.id}`)
  await ann.environment("production", collection.id)
  await ann.environment("production (2)", collection.id)

  expect((await restoreEnvironment(ann, environment)).body.data.name).toBe("production (3)")
  const { body } = await ann.get<Environment>(`/subcollection/${environment.id}`)
  expect(body.data).toMatchObject({ name: "production (3)", revision: revision + 1 })
  expect(await ann.get(`/environments/${environment.id}/history`)).toMatchObject({
    body: { data: { revisions: [{ number: revision + 1, action: "environment.recover" }, {}, {}, {}] } },
  })

  await ann.delete(`/collection/${collection.id}`)
  await ann.collection("app")
  expect((await restoreCollection(ann, collection.id)).body.data.name).toBe("app (2)")

  const long = "🚀".repeat(limits.name)
  const first = await ann.environment(long, collection.id)
  await ann.delete(`/subcollection/${first.id}`)
  await ann.environment(long, collection.id)
  expect((await restoreEnvironment(ann, first)).body.data.name).toBe(`${"🚀".repeat(limits.name - 4)} (2)`)
})

test("deleting forever needs the name, takes every row with it, and gives back what it took of the quota", async () => {
  const app = await testApp()
  const ann = await app.user()
  const used = async () => (await ann.get<StorageUse>("/users/me/storage")).body.data.usedBytes
  const environment = await filled(ann)
  const { collectionId } = environment
  const wrongName = { status: 400, body: { msg: sentences.typedNameWrong } }
  const stored = await used()

  expect(await ann.purge("environments", environment)).toMatchObject({ status: 404 })
  await ann.delete(`/subcollection/${environment.id}`)
  expect(await ann.purge("environments", { id: environment.id, name: "Production" })).toMatchObject(wrongName)
  expect(await used()).toBe(stored)
  expect(await ann.purge("environments", environment)).toMatchObject({
    status: 200,
    body: { msg: "Environment deleted forever" },
  })
  expect(await rowsIn(app)).toEqual([1, 0, 0, 0, 0, 0])
  expect(await used()).toBe(limits.rowBytes)
  expect(await restoreEnvironment(ann, environment)).toMatchObject({ status: 404 })

  await ann.delete(`/subcollection/${(await filled(ann, "one", collectionId)).id}`)
  await ann.delete(`/subcollection/${(await filled(ann, "two", collectionId)).id}`)
  await filled(ann, "live", collectionId)
  const empty = (name: string) => ann.post(`/collections/${collectionId}/trash/empty`, { name })
  expect(await empty("one")).toMatchObject(wrongName)
  expect(await empty("app")).toMatchObject({ status: 200, body: { msg: "Trash emptied successfully" } })
  expect(await environmentsIn(ann, collectionId)).toMatchObject({ total: 0 })
  expect((await rowsIn(app)).slice(0, 2)).toEqual([1, 1])

  await ann.delete(`/collection/${collectionId}`)
  const other = await ann.environment()
  await ann.delete(`/collection/${other.collectionId}`)
  expect(await ann.purge("collections", { id: collectionId, name: "another" })).toMatchObject(wrongName)
  expect(await ann.post("/trash/empty", { name: "app" })).toMatchObject(wrongName)
  expect(await ann.post("/trash/empty", { name: "someone" })).toMatchObject({ status: 200 })
  expect(await rowsIn(app)).toEqual([0, 0, 0, 0, 0, 0])
  expect(await used()).toBe(0)
})

test("administrators' counters do not count what is in the trash", async () => {
  const app = await testApp()
  const admin = await app.admin()
  const counts = async () => {
    const { collectionsCount, environmentsCount, itemsCount } = (await admin.get<Counters>("/hrkljush")).body.data
    return [collectionsCount, environmentsCount, itemsCount]
  }
  const environment = await filled(admin)
  const other = await filled(admin, "other", environment.collectionId)
  expect(await counts()).toEqual([1, 2, 2])
  await admin.delete(`/subcollection/${other.id}`)
  expect(await counts()).toEqual([1, 1, 1])
  await admin.delete(`/collection/${environment.collectionId}`)
  expect(await counts()).toEqual([0, 0, 0])
})

test("of two that restore at the same time, one does, and the trash and the name stay in order", async () => {
  const app = await testApp()
  const ann = await app.user()
  for (let round = 0; round < 3; round++) {
    const environment = await filled(ann)
    const { collectionId } = environment
    await ann.delete(`/subcollection/${environment.id}`)
    const answers = await Promise.all([
      restoreEnvironment(ann, environment),
      restoreEnvironment(ann, environment),
      ann.post("/subcollection", { name: "production", collectionId }),
    ])
    const [one, other, created] = answers.map(({ status }) => status)
    expect([one, other].toSorted()).toEqual([200, 404])
    expect([200, 409]).toContain(created)

    await ann.delete(`/collection/${collectionId}`)
    const both = await Promise.all([restoreCollection(ann, collectionId), restoreCollection(ann, collectionId)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404])
    expect((await app.guest.variables(environment.key)).status).toBe(200)
  }
})

test("deleting while a bulk save runs, or an environment is restored, leaves each of them whole", async () => {
  const app = await testApp()
  const ann = await app.user()
  const items = Array.from({ length: 300 }, (_, n) => ({ name: `N${n}`, value: "v" }))
  for (const kind of ["collection", "environment", "collection"] as const) {
    const environment = await filled(ann)
    const { collectionId } = environment
    const trashed = await filled(ann, "staging", collectionId)
    await ann.delete(`/subcollection/${trashed.id}`)
    const [saved, deleted, back] = await Promise.all([
      ann.post(`/subcollection/${environment.id}/bulk`, items),
      ann.delete(kind === "collection" ? `/collection/${collectionId}` : `/subcollection/${environment.id}`),
      restoreEnvironment(ann, trashed),
    ])
    expect(deleted.status).toBe(200)
    for (const { status } of [saved, back]) expect([200, 404]).toContain(status)
    if (kind === "collection") await restoreCollection(ann, collectionId)
    else await restoreEnvironment(ann, environment)
    expect(await ann.itemsOf(environment)).toHaveLength(saved.status === 200 ? items.length : 1)
    const { subCollections } = (await ann.get<{ subCollections: { name: string }[] }>(`/collection/${collectionId}`))
      .body.data
    expect(subCollections.some(({ name }) => name === "staging")).toBe(back.status === 200)
  }
  expect((await callCommand(doctorCommand, app.location)).out.filter((line) => line.includes("wrong"))).toEqual([])
})

test("what has been in the trash for too long is deleted forever, unless the server keeps it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const used = async () => (await ann.get<StorageUse>("/users/me/storage")).body.data.usedBytes
  const expiredCollection = await filled(ann)
  const expiredEnvironment = await filled(ann, "expired")
  const recent = await filled(ann, "recent", expiredEnvironment.collectionId)
  await ann.delete(`/collection/${expiredCollection.collectionId}`)
  await ann.delete(`/subcollection/${expiredEnvironment.id}`)
  await ann.delete(`/subcollection/${recent.id}`)
  const trashed_at = Date.now() - 30 * dayMs - 1
  await app.db.updateTable("collection").set({ trashed_at }).where("trashed_at", "is not", null).execute()
  await app.db.updateTable("environment").set({ trashed_at }).where("id", "=", expiredEnvironment.id).execute()

  expect(await purgeExpiredTrash(app.core, undefined)).toEqual({ collections: 0, environments: 0 })
  expect(await purgeExpiredTrash(app.core, 31)).toEqual({ collections: 0, environments: 0 })
  expect(await purgeExpiredTrash(app.core, 30)).toEqual({ collections: 1, environments: 1 })
  expect((await rowsIn(app)).slice(0, 3)).toEqual([1, 1, 1])
  expect(await collectionsIn(ann)).toMatchObject({ total: 0 })
  expect((await environmentsIn(ann, recent.collectionId)).entries).toMatchObject([{ name: "recent" }])

  // As if the process had ended after the mark: no call finds it, and the job goes on, even if the server keeps the trash.
  await app.db.updateTable("environment").set({ trashed_at: 0 }).where("id", "=", recent.id).execute()
  expect(await environmentsIn(ann, recent.collectionId)).toMatchObject({ entries: [], total: 0 })
  expect(await restoreEnvironment(ann, recent)).toMatchObject({ status: 404 })
  expect(await purgeExpiredTrash(app.core, undefined)).toEqual({ collections: 0, environments: 1 })
  expect(await used()).toBe(limits.rowBytes)
})

test("a full trash is empty at once for its owner, and its rows go in batches", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { collectionId } = await ann.environment()
  const rows = Array.from({ length: 250 }, (_, n) => ({
    collection_id: collectionId,
    name: ` ${n}`,
    trashed_name: `e${n}`,
    trashed_at: 1 + n,
    revision: 1,
    item_count: 0,
    sealed_bytes: 0,
  }))
  await app.db.insertInto("environment").values(rows).execute()
  const shown = await environmentsIn(ann, collectionId)
  expect([shown.total, shown.entries.length, shown.entries[0]?.name]).toEqual([250, 200, "e249"])

  expect((await ann.post(`/collections/${collectionId}/trash/empty`, { name: "app" })).status).toBe(200)
  expect(await environmentsIn(ann, collectionId)).toMatchObject({ entries: [], total: 0 })
  expect((await rowsIn(app))[1]).toBe(151)
  expect(await purgeExpiredTrash(app.core, 30)).toEqual({ collections: 0, environments: 150 })
  expect((await rowsIn(app))[1]).toBe(1)
})

testOnce("what an environment holds is deleted in small statements, so that others run in between", async () => {
  const executed: string[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(query.sql) })
  const ann = await app.user()
  const environment = await ann.environment()
  for (const value of ["one", "two"]) {
    const items = Array.from({ length: 200 }, (_, n) => ({ name: `NAME_${n}`, value }))
    await ann.post(`/subcollection/${environment.id}/bulk`, items)
  }
  await ann.delete(`/subcollection/${environment.id}`)
  executed.length = 0
  expect((await ann.purge("environments", environment)).status).toBe(200)
  const deletes = (table: string) => executed.filter((sql) => sql.startsWith(`delete from "${table}"`)).length
  expect([deletes("item_version"), deletes("item")]).toEqual([5, 3])
  expect(await rowsIn(app)).toEqual([1, 0, 0, 0, 0, 0])
})

testOnce("a new root key opens what is in the trash too", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await filled(ann)
  await ann.delete(`/collection/${environment.collectionId}`)
  expect((await rotate(app.location)).exitCode).toBe(0)
  await restoreCollection(ann, environment.collectionId)
  expect((await app.guest.variables(environment.key)).text).toBe('{"A":"second value"}')
  const current = await testApp({ location: app.location })
  expect((await current.guest.variables(environment.key)).text).toBe('{"A":"second value"}')
})

testOnce("a backup holds the trash, and what is restored from it can be restored from the trash", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await filled(ann)
  const other = await filled(ann, "other", environment.collectionId)
  await ann.delete(`/subcollection/${other.id}`)
  await ann.delete(`/collection/${environment.collectionId}`)
  const file = await backupFile()
  await backUp(app.location, file)

  const copy = await restored(app, file)
  const again = await copy.logIn(ann.email)
  expect((await restoreCollection(again, environment.collectionId)).status).toBe(200)
  expect((await restoreEnvironment(again, other)).body.data.name).toBe("other")
  expect((await again.variables(environment.key)).text).toBe('{"A":"second value"}')
  expect((await again.variables(other.key)).text).toBe('{"A":"second value"}')
})
