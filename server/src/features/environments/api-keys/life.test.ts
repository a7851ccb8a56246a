import type { ApiKey, ApiKeyUsage, ListedApiKey } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, onTestFinished, test, vi } from "vitest"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Sets the machine's clock. Timers are not affected. */
function settableClock() {
  const real = Date.now()
  vi.useFakeTimers({ toFake: ["Date"] })
  vi.setSystemTime(real)
  onTestFinished(() => void vi.useRealTimers())
  return (aheadMs: number) => void vi.setSystemTime(real + aheadMs)
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

async function keyed() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  await ann.item(environment, "A", "1")
  const make = async (settings: object = {}) => {
    const { body } = await ann.post<ApiKey & { key: string }>("/api-key", {
      name: "web-1",
      subCollectionId: environment.id,
      ...settings,
    })
    return body.data
  }
  const status = async (key: string, query = "") => (await app.guest.variables(key, query)).status
  return { ...app, ann, environment, make, status }
}

test("a key has a life: expiry, addresses, a note, its maker; without them it is as before", async () => {
  const { ann, environment, make } = await keyed()
  const expiresAt = inMs(dayMs)
  const made = await make({ expiresAt, allowedAddresses: ["10.0.0.0/8", "::1"], note: " for the web server " })
  expect(made).toMatchObject({
    expiresAt,
    isExpired: false,
    allowedAddresses: ["10.0.0.0/8", "::1"],
    note: "for the web server",
    createdBy: { name: "someone" },
    disabledAt: null,
    replacedById: null,
    lastRefusedAt: null,
  })
  const plain = await make({ name: "plain" })
  expect(plain).toMatchObject({ expiresAt: null, allowedAddresses: [], note: "", disabledAt: null, lastUsedFrom: null })
  expect((await ann.get<ListedApiKey[]>("/api-key")).body.data).toEqual(
    [made, plain].map((key) => ({ ...key, subCollectionName: "production", collectionName: "app" })),
  )

  const changed = await ann.put(`/api-key/${made.id}`, { note: "", allowedAddresses: [], expiresAt: null })
  expect(changed).toMatchObject({ status: 200, body: { msg: "API Key saved successfully" } })
  expect(changed.body.data).toEqual({ ...made, expiresAt: null, allowedAddresses: [], note: "" })
  // What is left out stays.
  expect((await ann.put(`/api-key/${made.id}`, { note: "again" })).body.data).toMatchObject({
    note: "again",
    key: made.key,
  })
  expect((await ann.get(`/subcollection/${environment.id}`)).body.data).toMatchObject({ revision: 2 })
})

testOnce("bad settings are refused with words that name them", async () => {
  const { ann, environment, make } = await keyed()
  const { id } = await make()
  const refusals: [settings: object, sentence: string][] = [
    [{ expiresAt: inMs(-1) }, "The expiry must be in the future"],
    [{ expiresAt: "tomorrow" }, "The expiry must be a time such as 2027-01-31T12:00:00Z"],
    [{ expiresAt: 1_900_000_000_000 }, "The expiry must be a time such as 2027-01-31T12:00:00Z"],
    [{ allowedAddresses: ["10.0.0.0/33"] }, "Not an IP address or a range such as 10.0.0.0/8: “10.0.0.0/33”"],
    [{ allowedAddresses: "10.0.0.0/8" }, "Addresses must be a list"],
    [{ allowedAddresses: Array(51).fill("10.0.0.1") }, "A key can have at most 50 addresses and ranges"],
    [{ note: "n".repeat(501) }, "Note can be at most 500 characters"],
    [{ disabledAt: null }, "Unknown field: disabledAt"],
  ]
  for (const [settings, msg] of refusals) {
    const creating = { name: "bad", subCollectionId: environment.id, ...settings }
    expect(await ann.post("/api-key", creating)).toMatchObject({ status: 400, body: { msg } })
    expect(await ann.put(`/api-key/${id}`, settings)).toMatchObject({ status: 400, body: { msg } })
  }
  for (const [overlapMinutes, msg] of [
    [-1, "The overlap cannot be negative"],
    [43_201, "The overlap can be at most 30 days"],
    ["1", "The overlap must be a whole number of minutes"],
  ]) {
    expect(await ann.post(`/api-key/${id}/roll`, { overlapMinutes })).toMatchObject({ status: 400, body: { msg } })
  }
})

testOnce(
  "an expired or disabled key is refused on every path like one that never existed, and says why to its owner",
  async () => {
    const setClock = settableClock()
    const { app, ann, guest, make, status, core } = await keyed()
    const { id, key } = await make({ expiresAt: inMs(hourMs) })
    const unknown = await guest.variables("ek_unknown")
    expect(await status(key)).toBe(200)
    expect(await status(key)).toBe(200)

    setClock(hourMs - 1)
    expect(await status(key)).toBe(200)
    setClock(hourMs)
    const refused = await guest.variables(key)
    expect([refused.status, refused.text]).toEqual([401, unknown.text])
    expect(await status(key, "?revision=1")).toBe(401)
    const paths = ["/v1/key", "/v1/variables/watch", "/v1/variables"]
    for (const path of paths) {
      const answer = await guest.get(path, { authorization: `Bearer ${key}` })
      expect([answer.status, answer.body.msg]).toEqual([401, "This API key is not valid"])
    }
    expect((await ann.get<ApiKey[]>("/api-key")).body.data[0]).toMatchObject({ isExpired: true })

    await ann.put(`/api-key/${id}`, { expiresAt: null })
    expect(await status(key)).toBe(200)
    const disabled = await ann.put<ApiKey>(`/api-key/${id}/disabled`, { isDisabled: true })
    expect(disabled.body.data.disabledAt).toBe(new Date(Date.now()).toISOString())
    expect(await status(key)).toBe(401)
    await ann.put(`/api-key/${id}/disabled`, { isDisabled: false })
    expect(await status(key)).toBe(200)

    await app.close()
    const rows = await core.db
      .selectFrom("key_refusal")
      .select(["reason", "refused", "address"])
      .orderBy("reason")
      .execute()
    expect(rows).toEqual([
      { reason: "disabled", refused: 1, address: "127.0.0.0/24" },
      { reason: "expired", refused: 5, address: "127.0.0.0/24" },
    ])
    const events = await core.db
      .selectFrom("audit_event")
      .select("action")
      .where("action", "like", "api-key.%")
      .where("actor", "=", "user")
      .orderBy("id")
      .execute()
    expect(events.map(({ action }) => action)).toEqual([
      "api-key.create",
      "api-key.update",
      "api-key.disable",
      "api-key.enable",
    ])
  },
)

testOnce(
  "a key is used only from the addresses that it allows; who tries elsewhere takes nothing from the others",
  async () => {
    const { app, ann, make } = await keyed()
    const { key, id } = await make({ allowedAddresses: ["203.0.113.7", "2001:db8:0:1::/64", "10.0.0.0/8"] })
    const from = async (remoteAddress: string) =>
      (await app.inject({ url: "/api/v1/variables", remoteAddress, headers: { authorization: `Bearer ${key}` } }))
        .statusCode
    const statuses: Record<string, number> = {}
    for (const address of [
      "203.0.113.7",
      "203.0.113.8",
      "::ffff:10.1.2.3",
      "2001:db8:0:1::5",
      "2001:db8:0:2::5",
      "203.0.113.7",
    ]) {
      statuses[address] = await from(address)
    }
    expect(statuses).toEqual({
      "203.0.113.7": 200,
      "203.0.113.8": 401,
      "::ffff:10.1.2.3": 200,
      "2001:db8:0:1::5": 200,
      "2001:db8:0:2::5": 401,
    })
    // At the same time, so that one could join what is loaded for the other.
    await ann.put(`/api-key/${id}`, { note: "forgotten by memory" })
    expect(await Promise.all(["203.0.113.8", "203.0.113.7", "203.0.113.8"].map(from))).toEqual([401, 200, 401])
  },
)

test("refused tries are counted with their reasons and networks, in few rows", async () => {
  const { app, ann, make, db } = await keyed()
  const { key, id } = await make({ allowedAddresses: ["10.0.0.1"] })
  const from = (remoteAddress: string) =>
    app.inject({ url: "/api/v1/variables", remoteAddress, headers: { authorization: `Bearer ${key}` } })
  for (let n = 0; n < 30; n++) await from(`198.51.${n}.1`)
  await from("10.0.0.1")
  await ann.put(`/api-key/${id}/disabled`, { isDisabled: true })
  for (let n = 0; n < 3; n++) await from("10.0.0.1")
  await app.close()
  const rows = await db.selectFrom("key_refusal").select(["reason", "address", "refused"]).execute()
  expect(rows).toHaveLength(22)
  expect(rows).toContainEqual({ reason: "address", address: "", refused: 10 })
  const [stored] = await db.selectFrom("api_key").select(["last_refused_at", "last_used_from"]).execute()
  expect(stored).toEqual({ last_refused_at: expect.any(Number), last_used_from: "10.0.0.0/24" })
})

test("usage shows the reads of each day and why the key was refused lately", async () => {
  const { ann, make, db, environment } = await keyed()
  const { id } = await make()
  const now = Date.now()
  const today = now - (now % dayMs)
  const read = {
    api_key_id: id,
    api_key_name: "web-1",
    environment_id: environment.id,
    collection_id: environment.collectionId,
  }
  const reads = (hourAt: number, address: string, count: number) => ({
    ...read,
    address,
    hour_at: hourAt,
    last_at: hourAt,
    reads: count,
    client: "curl/8",
  })
  await db
    .insertInto("key_read")
    .values([
      reads(today, "10.0.0.0/24", 3),
      reads(today, "10.0.1.0/24", 4),
      reads(today - 29 * dayMs + 5 * hourMs, "10.0.0.0/24", 5),
      reads(today - 30 * dayMs + 23 * hourMs, "10.0.0.0/24", 100),
    ])
    .execute()
  const refusal = (daysAgo: number, reason: "expired" | "address", refused: number) => ({
    api_key_id: id,
    day_at: today - daysAgo * dayMs,
    reason,
    address: "192.0.2.0/24",
    refused,
    last_at: today - daysAgo * dayMs,
  })
  await db
    .insertInto("key_refusal")
    .values([refusal(0, "address", 3), refusal(6, "expired", 9), refusal(7, "expired", 50)])
    .execute()
  const { days, refused } = (await ann.get<ApiKeyUsage>(`/api-key/${id}/usage`)).body.data
  expect(days).toHaveLength(30)
  expect(days[0]?.reads).toBe(5)
  expect(days[29]).toEqual({ day: new Date(today).toISOString().slice(0, 10), reads: 7 })
  expect(days.reduce((sum, day) => sum + day.reads, 0)).toBe(12)
  expect(refused).toEqual({
    count: 12,
    reasons: [
      { reason: "expired", count: 9 },
      { reason: "address", count: 3 },
    ],
    last: { at: new Date(today).toISOString(), from: "192.0.2.0/24" },
  })
})

test("a rolled key hands its name and settings to a new one, and goes on for the overlap", async () => {
  const setClock = settableClock()
  const { ann, make, status, environment, core } = await keyed()
  const old = await make({ expiresAt: inMs(10 * dayMs), allowedAddresses: ["127.0.0.0/8"], note: "web" })
  setClock(9 * dayMs)
  const rolled = await ann.post<ApiKey & { key: string }>(`/api-key/${old.id}/roll`, { overlapMinutes: 60 })
  const made = rolled.body.data
  expect(rolled.body.msg).toBe("API Key rolled successfully")
  expect(made).toMatchObject({
    name: "web-1",
    allowedAddresses: ["127.0.0.0/8"],
    note: "web",
    expiresAt: inMs(10 * dayMs),
  })
  expect([await status(old.key), await status(made.key)]).toEqual([200, 200])
  const listed = async () => (await ann.get<ListedApiKey[]>("/api-key")).body.data
  expect(await listed()).toMatchObject([
    { id: old.id, name: "web-1 (replaced)", key: old.key, replacedById: made.id, expiresAt: inMs(hourMs) },
    { id: made.id, name: "web-1", replacedById: null },
  ])
  expect(await ann.post(`/api-key/${old.id}/roll`, { overlapMinutes: 0 })).toMatchObject({ status: 409 })
  setClock(9 * dayMs + hourMs)
  expect([await status(old.key), await status(made.key)]).toEqual([401, 200])

  const third = await ann.post<ApiKey & { key: string }>(`/api-key/${made.id}/roll`, { overlapMinutes: 0 })
  expect([await status(made.key), await status(third.body.data.key)]).toEqual([401, 200])
  expect((await listed()).map(({ name }) => name)).toEqual(["web-1 (replaced)", "web-1 (replaced 2)", "web-1"])
  const long = await make({ name: "é".repeat(100) })
  await ann.post(`/api-key/${long.id}/roll`, { overlapMinutes: 0 })
  expect((await listed()).map(({ name, key }) => [name, key])).toContainEqual([
    `${"é".repeat(89)} (replaced)`,
    long.key,
  ])
  const { stored_bytes } = await core.db.selectFrom("user").select("stored_bytes").executeTakeFirstOrThrow()
  expect(stored_bytes).toBeGreaterThan(5 * 512)
  expect((await ann.get(`/subcollection/${environment.id}`)).body.data).toMatchObject({ revision: 2 })
})

testOnce("a watch ends when its key expires, is disabled or loses its address, without any other change", async () => {
  const { app, ann, make, db } = await keyed()
  const url = await app.listen({ port: 0, host: "127.0.0.1" })
  const watch = async (key: string) => {
    const events = readEvents(
      await fetch(`${url}/api/v1/variables/watch`, { headers: { authorization: `Bearer ${key}` } }),
    )
    expect(await events.next()).toMatchObject({ value: { event: "revision" } })
    return events
  }
  const gone = { value: { event: "gone", data: {} }, done: false }
  const [first, second, third] = [await make(), await make({ name: "second" }), await make({ name: "third" })]
  const watchers = await Promise.all([first, second, third].map(({ key }) => watch(key)))
  await ann.put(`/api-key/${second.id}/disabled`, { isDisabled: true })
  expect(await watchers[1]?.next()).toEqual(gone)
  await ann.put(`/api-key/${third.id}`, { allowedAddresses: ["10.0.0.0/8"] })
  expect(await watchers[2]?.next()).toEqual(gone)
  // Into the store, which does not mind if the time has passed by then.
  await db
    .updateTable("api_key")
    .set({ expires_at: Date.now() + 200 })
    .where("id", "=", first.id)
    .execute()
  await ann.put(`/api-key/${first.id}`, { note: "about to expire" })
  expect(await watchers[0]?.next()).toEqual(gone)
})
