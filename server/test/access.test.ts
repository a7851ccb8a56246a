import { type Call, calls, pathFields } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import type { Answer, Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

// Every call of the contract, made by a guest, by another user, by the owner and by an administrator who is not the
// owner. The samples are typed by the contract: a new call does not compile until it has one.

interface Sample {
  /** The id in the path. */
  id?: number
  body?: unknown
  /** What another user is told about the owner's thing; absent where the call touches nobody else's. */
  hidden?: string
}

interface World {
  collectionId: number
  environmentId: number
  itemId: number
  apiKeyId: number
}

type SessionCalls = Omit<typeof calls, "variables">
type Samples = { [Group in keyof SessionCalls]: { [Name in keyof SessionCalls[Group]]: (world: World) => Sample } }

const collection = "Collection not found"
const environment = "Environment not found"
const product = { name: "p", description: "", type: "DIGITAL", category: "OTHER" }
const fresh = { username: "new", email: "new@example.com" }

const samples: Samples = {
  users: {
    me: () => ({}),
    register: () => ({ body: { ...fresh, password, password2: password } }),
    login: () => ({ body: { email: "nobody@example.com", password } }),
    update: () => ({ body: fresh }),
    changePassword: () => ({ body: { oldPassword: password, password, password2: password } }),
    logout: () => ({}),
  },
  collections: {
    list: () => ({}),
    get: (world) => ({ id: world.collectionId, hidden: collection }),
    create: () => ({ body: { name: "new" } }),
    update: (world) => ({ id: world.collectionId, body: { name: "renamed" }, hidden: collection }),
    remove: (world) => ({ id: world.collectionId, hidden: collection }),
  },
  environments: {
    get: (world) => ({ id: world.environmentId, hidden: environment }),
    listOfCollection: (world) => ({ id: world.collectionId, hidden: collection }),
    create: (world) => ({ body: { name: "new", collectionId: world.collectionId }, hidden: collection }),
    rename: (world) => ({ id: world.environmentId, body: { name: "renamed" }, hidden: environment }),
    remove: (world) => ({ id: world.environmentId, hidden: environment }),
    saveAll: (world) => ({ id: world.environmentId, body: [{ name: "A", value: "2" }], hidden: environment }),
  },
  items: {
    create: (world) => ({
      body: { name: "NEW", value: "v", subCollectionId: world.environmentId },
      hidden: environment,
    }),
    update: (world) => ({ id: world.itemId, body: { name: "A", value: "2" }, hidden: "Item not found" }),
    remove: (world) => ({ id: world.itemId, hidden: "Item not found" }),
  },
  apiKeys: {
    list: () => ({}),
    create: (world) => ({ body: { name: "new", subCollectionId: world.environmentId }, hidden: environment }),
    remove: (world) => ({ id: world.apiKeyId, hidden: "API Key not found" }),
  },
  admin: {
    counters: () => ({}),
    listProducts: () => ({}),
    createProduct: () => ({ body: product }),
  },
}

const table = Object.entries(samples).flatMap(([group, named]) =>
  Object.entries(named).map(([name, sample]) => {
    const call = (calls as Record<string, Record<string, Call>>)[group]?.[name] as Call
    return [`${call.method} ${call.path}`, call, sample] as const
  }),
)

test("the table holds the 26 calls of the specification", () => {
  expect(table).toHaveLength(26)
  expect(new Set(table.map(([name]) => name)).size).toBe(26)
})

test.each(table)("%s by a guest, another user, the owner and an administrator", async (_, call, sample) => {
  const app = await testApp()
  const [owner, other, admin] = [await app.user(), await app.user(), await app.admin()]
  const world = await build(owner)
  const before = await state(app)
  const { hidden } = sample(world)

  const byGuest = await make(app.guest, call, sample(world))
  if (call.access === "anyone") expect(byGuest.status).not.toBe(403)
  else expect([byGuest.status, byGuest.body.msg]).toEqual([401, "Please log in first"])

  if (call.access === "admin") {
    const byUser = await make(other, call, sample(world))
    expect([byUser.status, byUser.body.msg]).toEqual([403, "Only administrators may do this"])
  }
  if (hidden !== undefined) {
    for (const stranger of [other, admin]) {
      const theirs = await make(stranger, call, sample(world))
      const nobodys = await make(stranger, call, sample(absent))
      expect([theirs.status, theirs.text]).toEqual([404, JSON.stringify({ error: true, msg: hidden, data: null })])
      expect(headersBut(nobodys)).toEqual(headersBut(theirs))
      expect(nobodys.text).toBe(theirs.text)
    }
    expect(await state(app)).toEqual(before)
  }

  const entitled = call.access === "admin" ? admin : owner
  const answer = await make(entitled, call, sample(world))
  const isRefusedLogin = call === calls.users.login
  const isTaken = call === calls.users.register
  expect(answer.status).toBe(isRefusedLogin ? 401 : isTaken ? 409 : (call.status ?? 200))
  if (!isRefusedLogin && !isTaken) expect(answer.body).toMatchObject({ error: false, msg: call.done })
})

const absent: World = { collectionId: 987_654, environmentId: 987_654, itemId: 987_654, apiKeyId: 987_654 }

async function build(owner: Person): Promise<World> {
  const environment = await owner.environment()
  const item = await owner.item(environment, "A", "1")
  const apiKey = await owner.apiKey(environment)
  return {
    collectionId: environment.collectionId,
    environmentId: environment.id,
    itemId: item.id,
    apiKeyId: apiKey.id,
  }
}

function make(person: Person, call: Call, { id, body }: Sample): Promise<Answer> {
  const path = call.path.replace(`{${pathFields(call.path)[0]}}`, String(id))
  if (call.method === "GET") return person.get(path)
  if (call.method === "DELETE") return person.delete(path)
  return call.method === "POST" ? person.post(path, body) : person.put(path, body)
}

async function state({ db }: TestApp): Promise<unknown> {
  return {
    collections: await db.selectFrom("collection").selectAll().orderBy("id").execute(),
    environments: await db.selectFrom("environment").selectAll().orderBy("id").execute(),
    items: await db.selectFrom("item").selectAll().orderBy("id").execute(),
    apiKeys: await db.selectFrom("api_key").selectAll().orderBy("id").execute(),
  }
}

function headersBut({ headers }: Answer): unknown {
  const { date: _, ...rest } = headers
  return rest
}
