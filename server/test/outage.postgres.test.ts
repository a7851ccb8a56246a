import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { databaseProxy } from "@envkeep/testing/database-proxy.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { expect, test, vi } from "vitest"

// The network between a node and its PostgreSQL fails, while another node goes on.

const away = {
  status: 503,
  body: {
    error: true,
    msg: "The database cannot be reached right now. Nothing was changed; please try again",
    data: null,
  },
}
const patience = { timeout: 20_000, interval: 20 }

/** A node behind a network that can fail, another that is not, and an environment with two keys that the first has read. */
async function cutOff(env: Record<string, string> = {}) {
  const location = await newStoreLocation()
  const proxy = await databaseProxy(location.databaseUrl ?? "")
  const other = await testApp({ location })
  const node = await testApp({ location: { ...location, databaseUrl: proxy.url }, env })
  const url = await node.app.listen({ port: 0, host: "127.0.0.1" })
  const ann = await other.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, "A", "1")
  const key = await ann.apiKey(environment, "kept")
  const withdrawn = await ann.apiKey(environment, "withdrawn")
  const unread = await ann.apiKey(environment, "unread")
  const read = async (bearer: string, query = "", headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/v1/variables${query}`, {
      headers: { authorization: `Bearer ${bearer}`, ...headers },
      // So that a read which hangs is a failure here, not a test that never ends.
      signal: AbortSignal.timeout(15_000),
    })
    return { status: response.status, stale: response.headers.get("envkeep-stale"), text: await response.text() }
  }
  for (const { key: bearer } of [key, withdrawn]) {
    expect(await read(bearer)).toEqual({ status: 200, stale: null, text: '{"A":"1"}' })
  }
  return { location, proxy, other, node, url, ann, environment, item, key, withdrawn, unread, read }
}

test.each(["refuse", "hang"] as const)(
  "when the database cannot be reached (%s), reads go on from memory and say so; after it, they are right at once",
  async (fault) => {
    const { proxy, node, url, ann, item, key, withdrawn, unread, read, environment } = await cutOff()
    const watch = await fetch(`${url}/api/v1/variables/watch`, { headers: { authorization: `Bearer ${key.key}` } })
    const events = readEvents(watch)
    expect(await events.next()).toMatchObject({ value: { event: "revision", data: { revision: 2 } } })
    const session = { cookie: ann.cookie }

    await proxy[fault]()
    const known = { status: 200, stale: expect.stringMatching(/^\d+$/), text: '{"A":"1"}' }
    await vi.waitFor(async () => expect(await read(key.key)).toEqual(known), patience)
    // Both ways to a read: the quick one, and the one of unusual addresses.
    expect(await read(key.key, "?format=json&x=1")).toEqual(known)
    for (const query of ["", "?x=1"]) {
      const held = await read(key.key, query, { "if-none-match": "*" })
      expect(held).toEqual({ ...known, status: 304, text: "" })
    }
    expect(await node.guest.variables(unread.key)).toMatchObject(away)
    expect(await node.guest.get("/v1/key", { authorization: `Bearer ${key.key}` })).toMatchObject(away)
    const save = [{ name: "A", value: "lost" }]
    expect(await node.guest.post(`/subcollection/${environment.id}/bulk`, save, session)).toMatchObject(away)

    expect((await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "2" })).status).toBe(200)
    expect((await ann.delete(`/api-key/${withdrawn.id}`)).status).toBe(200)
    expect(await read(key.key)).toEqual(known)
    expect(await read(withdrawn.key)).toEqual(known)

    await proxy.restore()
    let after = await read(key.key)
    const givenUp = AbortSignal.timeout(20_000)
    while (after.stale !== null && !givenUp.aborted) after = await read(key.key)
    expect(after).toEqual({ status: 200, stale: null, text: '{"A":"2"}' })
    expect((await read(withdrawn.key)).status).toBe(401)
    expect(await events.next()).toMatchObject({ value: { event: "revision", data: { revision: 3 } } })
    await events.return(undefined)

    // A key that was refused is not in memory for the next time either.
    await proxy.refuse()
    await vi.waitFor(async () => expect((await read(key.key)).stale).not.toBeNull(), patience)
    expect((await read(withdrawn.key)).status).toBe(503)
  },
)

test("a save whose commit was not answered is not called undone", async () => {
  const { proxy, node, ann, environment, key, read } = await cutOff()
  const session = { cookie: ann.cookie }
  proxy.loseAnswerTo("commit")
  const answer = await node.guest.post(`/subcollection/${environment.id}/bulk`, [{ name: "A", value: "2" }], session)
  expect(answer).toMatchObject({
    status: 503,
    body: {
      error: true,
      msg: "The connection to the database was lost while saving. Check whether it was saved before you try again",
    },
  })
  await vi.waitFor(async () => expect((await read(key.key)).text).toBe('{"A":"2"}'), patience)
})

test("reads from memory end when their time is up", async () => {
  const { proxy, key, read } = await cutOff({ ENVKEEP_STALE_READS: "1" })
  await proxy.refuse()
  let answer = await read(key.key)
  while (answer.status === 200) {
    expect([null, "0", "1"]).toContain(answer.stale)
    answer = await read(key.key)
  }
  expect(answer.status).toBe(503)
})

test("without stale reads, a read fails as soon as the database is away", async () => {
  const { proxy, key, read } = await cutOff({ ENVKEEP_STALE_READS: "0" })
  await proxy.refuse()
  let answer = await read(key.key)
  while (answer.status === 200) {
    expect(answer.stale).toBeNull()
    answer = await read(key.key)
  }
  expect(answer.status).toBe(503)
})

test("a key that this node withdrew just before is refused during the outage", async () => {
  const { proxy, node, ann, key, withdrawn, read } = await cutOff()
  const here = { cookie: ann.cookie }
  expect((await node.guest.delete(`/api-key/${withdrawn.id}`, here)).status).toBe(200)
  expect((await read(key.key)).status).toBe(200)
  await proxy.refuse()
  await vi.waitFor(async () => expect((await read(key.key)).stale).not.toBeNull(), patience)
  expect((await read(withdrawn.key)).status).toBe(503)
})
