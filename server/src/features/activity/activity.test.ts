import type { ActivityPage, KeyReads, User } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { sql } from "kysely"
import { expect, test, vi } from "vitest"
import { createLastUsed } from "../variables/last-used.ts"

const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" }

async function eventsOf(person: Person, path: string): Promise<ActivityPage["events"]> {
  const { status, body } = await person.get<ActivityPage>(path)
  expect(status).toBe(200)
  return body.data.events
}

test("a collection's activity says who did what, from where, with the names of that time and never a value", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  const collectionId = environment.collectionId
  const body = { name: "TOKEN", value: "a very secret value", subCollectionId: environment.id }
  await ann.post("/collectionItem", body, headers)
  const key = await ann.apiKey(environment, "ci")
  await ann.delete(`/api-key/${key.id}`)
  await ann.put(`/subcollection/${environment.id}`, { name: "renamed" })
  await ann.delete(`/subcollection/${environment.id}`)

  const path = `/collections/${collectionId}/activity`
  const events = await eventsOf(ann, path)
  expect(events.map(({ action }) => action)).toEqual([
    "environment.delete",
    "environment.rename",
    "api-key.delete",
    "api-key.create",
    "item.add",
    "environment.create",
    "collection.create",
  ])
  const { data: me } = (await ann.get<User>("/users/me")).body
  expect(events[4]).toMatchObject({
    actor: { kind: "user", id: me.id, name: me.username },
    address: "127.0.0.0/24",
    client: headers["user-agent"],
    collection: { id: collectionId, name: "app" },
    environment: { id: environment.id, name: "production" },
    names: ["TOKEN"],
    nameCount: 1,
  })
  expect(events[0]?.environment).toEqual({ id: environment.id, name: "renamed" })
  expect(events[2]).toMatchObject({ key: { id: key.id, name: "ci" }, collection: { id: collectionId } })
  const stored = await app.db.selectFrom("audit_event").selectAll().execute()
  expect(JSON.stringify(stored)).not.toMatch(/very secret|ek_|correct horse/)

  const of = async (query: string) => (await eventsOf(ann, `${path}?${query}`)).length
  expect([await of("kind=keys"), await of("kind=items"), await of("kind=logins")]).toEqual([2, 1, 0])
  expect([await of(`personId=${me.id}`), await of(`personId=${me.id + 1000}`)]).toEqual([7, 0])
  expect([await of(`environmentId=${environment.id}`), await of("environmentId=987654")]).toEqual([6, 0])
  expect([await of("since=2020-01-01&until=2020-12-31"), await of("since=2020-01-01")]).toEqual([0, 7])
  const today = new Date().toISOString().slice(0, 10)
  expect([await of(`until=${today}`), await of("until=2020-01-01T00:00:00Z")]).toEqual([7, 0])
  for (const [query, msg] of [
    ["kind=nothing", /^Kind must be one of items, /],
    ["since=yesterday", /^A time must be written as /],
    ["since=2026-02-30", /^A time must be written as /],
    ["until=2026-04-31T12:00:00Z", /^A time must be written as /],
    ["before=1e3", /^An id must be a whole number/],
    ["personId=0", /^An id must be a whole number/],
  ] as const) {
    expect(await ann.get(`${path}?${query}`)).toMatchObject({ status: 400, body: { msg: expect.stringMatching(msg) } })
  }
})

test("pages follow each other without a gap, whatever the filter, and the export holds the same events", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const path = `/collections/${environment.collectionId}/activity`
  await seedEvents(app, environment, 12_000)
  for (const [query, count] of [
    ["", 12_002],
    ["&kind=keys", 12],
    ["&kind=keys&environmentId=987654", 0],
  ] as const) {
    const seen: number[] = []
    let pages = 0
    for (let next: number | null = Number.MAX_SAFE_INTEGER; next !== null && pages < 5; pages++) {
      const { data }: { data: ActivityPage } = (await ann.get<ActivityPage>(`${path}?before=${next}${query}`)).body
      expect(data.events.length).toBeLessThanOrEqual(50)
      seen.push(...data.events.map(({ id }) => id))
      next = data.next
    }
    expect(seen.length).toBe(Math.min(count, 250))
    const lines = (await ann.get(`${path}/export?${query.slice(1)}`)).text.split("\n").slice(0, -1)
    const exported = lines.map((line): number => JSON.parse(line).id)
    expect(exported.length).toBe(count)
    expect(exported.slice(0, seen.length)).toEqual(seen)
    expect(new Set(exported).size).toBe(count)
  }
})

/** Every thousandth is about a key. */
async function seedEvents({ db }: TestApp, environment: { id: number; collectionId: number }, count: number) {
  for (let done = 0; done < count; done += 500) {
    const rows = Array.from({ length: 500 }, (_, index) => ({
      created_at: Date.now(),
      action: (done + index) % 1_000 === 0 ? "api-key.create" : "item.edit",
      actor: "user",
      actor_id: null,
      actor_name: "",
      account_id: null,
      account_name: "",
      address: "",
      client: "",
      collection_id: environment.collectionId,
      collection_name: "",
      environment_id: environment.id,
      environment_name: "",
      api_key_id: null,
      api_key_name: "",
      details: "{}",
    }))
    await db.insertInto("audit_event").values(rows).execute()
  }
}

testOnce("an account sees its logins, also the refused ones, which are summed up by the hour", async () => {
  const app = await testApp()
  const ann = await app.user()
  const guess = () => app.guest.post("/users/login", { email: ann.email, password: "wrong password" })
  for (let n = 0; n < 5; n++) expect((await guess()).status).toBe(401)
  await app.guest.post("/users/login", { email: "nobody@example.com", password: "wrong password" })
  await ann.put("/users/password", { oldPassword: password, password, password2: password })
  const logins = () => eventsOf(ann, "/users/me/activity?kind=logins")
  await vi.waitFor(async () => expect(await logins()).toHaveLength(2), eventually)
  expect((await logins()).map(({ action, counts }) => [action, counts])).toEqual([
    ["session.refuse", { refused: 1 }],
    ["session.begin", {}],
  ])
  expect((await eventsOf(ann, "/users/me/activity?kind=accounts")).map(({ action }) => action)).toEqual([
    "account.password",
    "account.create",
  ])
  // What was counted is written when the hour is over, or the server stops.
  await app.close()
  const again = await testApp({ location: app.location })
  const refused = await again.db
    .selectFrom("audit_event")
    .select(["account_id as account", "details"])
    .where("action", "=", "session.refuse")
    .orderBy("id")
    .execute()
  const sums = refused.map(({ account, details }) => [account !== null, JSON.parse(details)])
  expect(sums).toEqual(
    expect.arrayContaining([
      [true, { refused: 1 }],
      [false, { refused: 1 }],
      [true, { refused: 4 }],
    ]),
  )
  expect(sums).toHaveLength(3)
})

testOnce("administrators see what happened on the server, without the names of what belongs to others", async () => {
  const app = await testApp()
  const [ann, admin] = [await app.user(), await app.admin()]
  const environment = await ann.environment("hidden environment", (await ann.collection("hidden collection")).id)
  await ann.item(environment, "HIDDEN_NAME", "a value")
  await ann.apiKey(environment, "hidden key")
  const { text, body } = await admin.get<ActivityPage>("/admin/activity")
  const exported = (await admin.get("/admin/activity/export")).text
  expect(body.data.events.map(({ action }) => action).slice(0, 4)).toEqual([
    "api-key.create",
    "item.add",
    "environment.create",
    "collection.create",
  ])
  expect(body.data.events[0]?.actor.name).toBe("someone")
  for (const shown of [text, exported]) expect(shown).not.toMatch(/hidden/i)
})

test("reads by key are summed by key, network and hour, and the first from a new network is an event", async () => {
  const app = await testApp({ env: { ENVKEEP_TRUST_PROXY: "1" } })
  const ann = await app.user()
  const environment = await ann.environment()
  const { key, id } = await ann.apiKey(environment, "ci")
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const read = (address: string) =>
    fetch(`${url}/api/v1/variables`, {
      headers: { authorization: `Bearer ${key}`, "x-forwarded-for": address, "user-agent": "worker/1.0" },
    }).then((answer) => answer.text())
  for (const address of ["192.0.2.1", "192.0.2.9", "2001:db8:1:2::3", "192.0.2.1"]) await read(address)
  const path = `/collections/${environment.collectionId}/activity`
  const sums = async () => {
    const { reads } = (await ann.get<{ reads: KeyReads[] }>(`${path}/reads`)).body.data
    return Object.fromEntries(reads.map(({ address, reads }) => [address, reads]))
  }
  const expected = { "192.0.2.0/24": 3, "2001:db8:1::/48": 1 }
  await vi.waitFor(async () => expect(await sums()).toEqual(expected), eventually)
  const events = await eventsOf(ann, `${path}?kind=keys`)
  expect(events.map(({ action, address }) => [action, address])).toEqual([
    ["api-key.new-address", "2001:db8:1::/48"],
    ["api-key.new-address", "192.0.2.0/24"],
    ["api-key.create", "127.0.0.0/24"],
  ])
  expect(events[0]).toMatchObject({ actor: { kind: "key", id, name: "ci" }, client: "worker/1.0" })
})

testOnce("counting a read asks the database for nothing, and a flush that failed loses no count", async () => {
  const statements: string[] = []
  const app = await testApp({ logQuery: ({ query }) => void statements.push(query.sql) })
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  const lastUsed = createLastUsed(app.core)
  const { keyCaller } = await import("../../http/bearer.ts")
  const caller = keyCaller({ authorization: `Bearer ${key}` }, "192.0.2.1")
  const counted = statements.length
  for (let n = 0; n < 25_000; n++) lastUsed.note(n % 2 === 0 ? caller : { ...caller, reads: 0 })
  expect(statements.length).toBe(counted)
  const change = app.core.change
  const failing = { ...app.core, change: () => Promise.reject(new Error("away")) } as typeof app.core
  const other = createLastUsed(failing)
  other.note(keyCaller({ authorization: `Bearer ${key}` }, "198.51.100.1"))
  await expect(other.flush()).rejects.toThrow("away")
  failing.change = change
  await other.flush()
  await lastUsed.flush()
  const { rows } = await sql<{ address: string; reads: number }>`
    select address, reads from key_read order by address`.execute(app.db)
  expect(rows.map(({ address, reads }) => [address, Number(reads)])).toEqual([
    ["192.0.2.0/24", 25_000],
    ["198.51.100.0/24", 1],
  ])
})
