import { type Call, calls, pathFields } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import type { Answer, Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

// Makes every call of the contract as a guest, as another user, as the owner and as an administrator who is not the owner.
// The samples have the type of the contract, so a new call does not compile until it has one.

interface Sample {
  /** The id in the path. */
  id?: number
  revision?: number
  query?: string
  body?: unknown
  /** The answer to other users if the id is the owner's; absent if the call takes no such id. */
  notFound?: string
}

/** The ids of what the owner has. */
interface Ids {
  collectionId: number
  environmentId: number
  itemId: number
  apiKeyId: number
  /** In the trash, with the name "deleted". */
  trashedCollectionId: number
  trashedEnvironmentId: number
}

type SessionCalls = Omit<typeof calls, "variables">
type Samples = { [Group in keyof SessionCalls]: { [Name in keyof SessionCalls[Group]]: (ids: Ids) => Sample } }

const collection = "Collection not found"
const environment = "Environment not found"
const product = { name: "p", description: "", type: "DIGITAL", category: "OTHER" }
const profile = { username: "new", email: "new@example.com" }

const samples: Samples = {
  users: {
    me: () => ({}),
    storage: () => ({}),
    register: () => ({ body: { ...profile, password, password2: password } }),
    login: () => ({ body: { email: "nobody@example.com", password } }),
    update: () => ({ body: profile }),
    changePassword: () => ({ body: { oldPassword: password, password, password2: password } }),
    checkResetLink: () => ({ body: { token: "unknown token" } }),
    resetPassword: () => ({ body: { token: "unknown token", password, password2: password } }),
    logout: () => ({}),
  },
  collections: {
    list: () => ({}),
    get: (ids) => ({ id: ids.collectionId, notFound: collection }),
    live: (ids) => ({ id: ids.collectionId, notFound: collection }),
    create: () => ({ body: { name: "new" } }),
    update: (ids) => ({ id: ids.collectionId, body: { name: "renamed" }, notFound: collection }),
    remove: (ids) => ({ id: ids.collectionId, notFound: collection }),
  },
  environments: {
    get: (ids) => ({ id: ids.environmentId, notFound: environment }),
    listOfCollection: (ids) => ({ id: ids.collectionId, notFound: collection }),
    create: (ids) => ({ body: { name: "new", collectionId: ids.collectionId }, notFound: collection }),
    rename: (ids) => ({ id: ids.environmentId, body: { name: "renamed" }, notFound: environment }),
    remove: (ids) => ({ id: ids.environmentId, notFound: environment }),
    saveAll: (ids) => ({ id: ids.environmentId, body: [{ name: "A", value: "2" }], notFound: environment }),
  },
  items: {
    create: (ids) => ({
      body: { name: "NEW", value: "v", subCollectionId: ids.environmentId },
      notFound: environment,
    }),
    update: (ids) => ({ id: ids.itemId, body: { name: "A", value: "2" }, notFound: "Item not found" }),
    remove: (ids) => ({ id: ids.itemId, notFound: "Item not found" }),
    saveMany: (ids) => ({
      id: ids.environmentId,
      body: [{ id: ids.itemId, name: "A", value: "2" }],
      notFound: environment,
    }),
  },
  // Of the environment's revisions, the second has the item OLD.
  history: {
    list: (ids) => ({ id: ids.environmentId, notFound: environment }),
    get: (ids) => ({ id: ids.environmentId, revision: 2, notFound: environment }),
    changes: (ids) => ({ id: ids.environmentId, revision: 2, notFound: environment }),
    ofItem: (ids) => ({ id: ids.environmentId, query: "?name=A", notFound: environment }),
    restore: (ids) => ({ id: ids.environmentId, body: { revision: 2 }, notFound: environment }),
    restoreItem: (ids) => ({ id: ids.environmentId, body: { name: "OLD", revision: 2 }, notFound: environment }),
    erase: (ids) => ({ id: ids.environmentId, body: { name: "OLD", revision: 2 }, notFound: environment }),
  },
  trash: {
    listCollections: () => ({}),
    restoreCollection: (ids) => ({ id: ids.trashedCollectionId, notFound: collection }),
    purgeCollection: (ids) => ({ id: ids.trashedCollectionId, body: { name: "deleted" }, notFound: collection }),
    emptyCollections: () => ({ body: { name: "somebody" } }),
    listEnvironments: (ids) => ({ id: ids.collectionId, notFound: collection }),
    restoreEnvironment: (ids) => ({ id: ids.trashedEnvironmentId, notFound: environment }),
    purgeEnvironment: (ids) => ({ id: ids.trashedEnvironmentId, body: { name: "deleted" }, notFound: environment }),
    emptyEnvironments: (ids) => ({ id: ids.collectionId, body: { name: "app" }, notFound: collection }),
  },
  apiKeys: {
    list: () => ({}),
    create: (ids) => ({ body: { name: "new", subCollectionId: ids.environmentId }, notFound: environment }),
    lastUse: (ids) => ({ id: ids.apiKeyId, notFound: "API Key not found" }),
    remove: (ids) => ({ id: ids.apiKeyId, notFound: "API Key not found" }),
  },
  admin: {
    counters: () => ({}),
    listProducts: () => ({}),
    createProduct: () => ({ body: product }),
  },
  activity: {
    ofCollection: (ids) => ({ id: ids.collectionId, notFound: collection }),
    exportOfCollection: (ids) => ({ id: ids.collectionId, notFound: collection }),
    readsOfCollection: (ids) => ({ id: ids.collectionId, notFound: collection }),
    ofAccount: () => ({}),
    exportOfAccount: () => ({}),
    ofInstance: () => ({}),
    exportOfInstance: () => ({}),
  },
}

const table = Object.entries(samples).flatMap(([group, named]) =>
  Object.entries(named).map(([name, sample]) => {
    const call = (calls as Record<string, Record<string, Call>>)[group]?.[name] as Call
    return [`${call.method} ${call.path}`, call, sample] as const
  }),
)

test.each(table)("%s by a guest, another user, the owner and an administrator", async (_, call, sample) => {
  const app = await testApp()
  const [owner, other, admin] = [await app.user(), await app.user(), await app.admin()]
  const ids = await createThings(owner)
  const before = await state(app)
  const { notFound } = sample(ids)

  const byGuest = await make(app.guest, call, sample(ids))
  if (call.access === "anyone") expect(byGuest.status).not.toBe(403)
  else expect([byGuest.status, byGuest.body.msg]).toEqual([401, "Please log in first"])

  if (call.access === "admin") {
    const byUser = await make(other, call, sample(ids))
    expect([byUser.status, byUser.body.msg]).toEqual([403, "Only administrators may do this"])
  }
  if (notFound !== undefined) {
    for (const stranger of [other, admin]) {
      const owned = await make(stranger, call, sample(ids))
      const unknown = await make(stranger, call, sample(unknownIds))
      expect([owned.status, owned.text]).toEqual([404, JSON.stringify({ error: true, msg: notFound, data: null })])
      expect(headersWithoutDate(unknown)).toEqual(headersWithoutDate(owned))
      expect(unknown.text).toBe(owned.text)
    }
    expect(await state(app)).toEqual(before)
  }

  if (call === calls.collections.live) {
    const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
    const response = await fetch(`${url}/api/collections/${ids.collectionId}/live`, {
      headers: { cookie: owner.cookie },
    })
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"])
    await response.body?.cancel()
    return
  }
  const entitled = call.access === "admin" ? admin : owner
  const answer = await make(entitled, call, sample(ids))
  const isRefusedLogin = call === calls.users.login
  const isTaken = call === calls.users.register
  const isUnknownLink = call === calls.users.checkResetLink || call === calls.users.resetPassword
  expect(answer.status).toBe(isRefusedLogin ? 401 : isTaken ? 409 : isUnknownLink ? 400 : (call.status ?? 200))
  if (!isRefusedLogin && !isTaken && !isUnknownLink && !call.plain)
    expect(answer.body).toMatchObject({ error: false, msg: call.done })
})

test.each(["collection", "subcollection"])("what a deleted %s holds looks like it does not exist", async (kind) => {
  const app = await testApp()
  const owner = await app.user()
  const { collectionId, trashedCollectionId: _, trashedEnvironmentId, ...inEnvironment } = await createThings(owner)
  await owner.delete(`/${kind}/${kind === "collection" ? collectionId : inEnvironment.environmentId}`)
  const before = await state(app)
  const inCollection = kind === "collection" ? { collectionId, trashedEnvironmentId } : {}
  const hiddenIds = { ...unknownIds, ...inEnvironment, ...inCollection }
  const about = table.filter(([, , sample]) => JSON.stringify(sample(hiddenIds)) !== JSON.stringify(sample(unknownIds)))
  expect(about.length).toBeGreaterThan(15)
  for (const [, call, sample] of about) {
    const hidden = await make(owner, call, sample(hiddenIds))
    const unknown = await make(owner, call, sample(unknownIds))
    expect([call.path, hidden.status, hidden.text]).toEqual([call.path, 404, unknown.text])
    expect(headersWithoutDate(hidden)).toEqual(headersWithoutDate(unknown))
  }
  expect(await state(app)).toEqual(before)
})

const unknownIds: Ids = {
  collectionId: 987_654,
  environmentId: 987_654,
  itemId: 987_654,
  apiKeyId: 987_654,
  trashedCollectionId: 987_654,
  trashedEnvironmentId: 987_654,
}

async function createThings(owner: Person): Promise<Ids> {
  const environment = await owner.environment()
  const old = await owner.item(environment, "OLD", "1")
  await owner.delete(`/collectionItem/${old.id}`)
  const item = await owner.item(environment, "A", "1")
  const apiKey = await owner.apiKey(environment)
  const { collectionId } = environment
  const trashed = await owner.environment("deleted", collectionId)
  const trashedCollection = await owner.collection("deleted")
  await owner.delete(`/subcollection/${trashed.id}`)
  await owner.delete(`/collection/${trashedCollection.id}`)
  return {
    trashedCollectionId: trashedCollection.id,
    trashedEnvironmentId: trashed.id,
    collectionId,
    environmentId: environment.id,
    itemId: item.id,
    apiKeyId: apiKey.id,
  }
}

function make(person: Person, call: Call, { id, revision, query = "", body }: Sample): Promise<Answer> {
  const ids = call.path.replace(`{${pathFields(call.path)[0]}}`, String(id))
  const path = ids.replace("{revision}", String(revision)) + query
  if (call.method === "GET") return person.get(path)
  if (call.method === "DELETE") return person.delete(path)
  return call.method === "POST" ? person.post(path, body) : person.put(path, body)
}

async function state({ db }: TestApp): Promise<unknown> {
  return {
    collections: await db.selectFrom("collection").selectAll().orderBy("id").execute(),
    environments: await db.selectFrom("environment").selectAll().orderBy("id").execute(),
    items: await db.selectFrom("item").selectAll().orderBy("id").execute(),
    revisions: await db.selectFrom("revision").selectAll().orderBy("id").execute(),
    versions: await db.selectFrom("item_version").selectAll().orderBy("id").execute(),
    apiKeys: await db.selectFrom("api_key").selectAll().orderBy("id").execute(),
  }
}

function headersWithoutDate({ headers }: Answer): unknown {
  const { date: _, ...rest } = headers
  return rest
}
