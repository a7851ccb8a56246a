import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { databaseProxy } from "@envkeep/testing/database-proxy.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { waitTimeoutMs } from "@envkeep/testing/time-limits.ts"
import { expect, test, vi } from "vitest"

// The network between a node and its PostgreSQL fails, while another node keeps working.

const databaseUnreachable = {
  status: 503,
  body: {
    error: true,
    msg: "The database cannot be reached right now. Nothing was changed; please try again",
    data: null,
  },
}

/** A node whose network can fail, a second one whose cannot, and an environment with two keys that the first has read. */
async function nodeBehindProxy(env: Record<string, string> = {}) {
  const location = await newStoreLocation()
  const proxy = await databaseProxy(location.databaseUrl ?? "")
  const other = await testApp({ location })
  let statements = 0
  const logQuery = () => void statements++
  const node = await testApp({ location: { ...location, databaseUrl: proxy.url }, env, logQuery })
  const url = await node.app.listen({ port: 0, host: "127.0.0.1" })
  const ann = await other.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, "A", "1")
  const key = await ann.apiKey(environment, "kept")
  const deletedKey = await ann.apiKey(environment, "deleted")
  const unread = await ann.apiKey(environment, "unread")
  const read = async (bearer: string, query = "", headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/v1/variables${query}`, {
      headers: { authorization: `Bearer ${bearer}`, ...headers },
      // A read that hangs must fail here, instead of making the test hang.
      signal: AbortSignal.timeout(waitTimeoutMs),
    })
    return { status: response.status, stale: response.headers.get("envkeep-stale"), text: await response.text() }
  }
  for (const { key: bearer } of [key, deletedKey]) {
    expect(await read(bearer)).toEqual({ status: 200, stale: null, text: '{"A":"1"}' })
  }
  // It hears of changes once it reads from memory. Until then, a lost connection says nothing about the database.
  const readsFromMemory = async () => {
    const before = statements
    await read(key.key)
    expect(statements).toBe(before)
  }
  await vi.waitFor(readsFromMemory, eventually)
  return { location, proxy, other, node, url, ann, environment, item, key, deletedKey, unread, read }
}

test.each(["refuse", "hang"] as const)(
  "while the database cannot be reached (%s), reads are served from memory and say so; after it, they are current",
  async (fault) => {
    const { proxy, node, url, ann, item, key, deletedKey, unread, read, environment } = await nodeBehindProxy()
    const watch = await fetch(`${url}/api/v1/variables/watch`, { headers: { authorization: `Bearer ${key.key}` } })
    const events = readEvents(watch)
    expect(await events.next()).toMatchObject({ value: { event: "revision", data: { revision: 2 } } })
    const session = { cookie: ann.cookie }

    await proxy[fault]()
    const stale = { status: 200, stale: expect.stringMatching(/^\d+$/), text: '{"A":"1"}' }
    await vi.waitFor(async () => expect(await read(key.key)).toEqual(stale), eventually)
    // A usual URL is answered before the router, this one by it.
    expect(await read(key.key, "?format=json&x=1")).toEqual(stale)
    for (const query of ["", "?x=1"]) {
      const notModified = await read(key.key, query, { "if-none-match": "*" })
      expect(notModified).toEqual({ ...stale, status: 304, text: "" })
    }
    expect(await node.guest.variables(unread.key)).toMatchObject(databaseUnreachable)
    expect(await node.guest.get("/v1/key", { authorization: `Bearer ${key.key}` })).toMatchObject(databaseUnreachable)
    const save = [{ name: "A", value: "lost" }]
    expect(await node.guest.post(`/subcollection/${environment.id}/bulk`, save, session)).toMatchObject(
      databaseUnreachable,
    )

    expect((await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "2" })).status).toBe(200)
    expect((await ann.delete(`/api-key/${deletedKey.id}`)).status).toBe(200)
    expect(await read(key.key)).toEqual(stale)
    expect(await read(deletedKey.key)).toEqual(stale)

    await proxy.restore()
    let after = await read(key.key)
    const timeout = AbortSignal.timeout(waitTimeoutMs)
    while (after.stale !== null && !timeout.aborted) after = await read(key.key)
    expect(after).toEqual({ status: 200, stale: null, text: '{"A":"2"}' })
    expect((await read(deletedKey.key)).status).toBe(401)
    expect(await events.next()).toMatchObject({ value: { event: "revision", data: { revision: 3 } } })
    await events.return(undefined)
    const lines = node.log.map((line) => JSON.parse(line).msg as string)
    expect(lines.filter((line) => /^the database is (down|back)/.test(line))).toEqual([
      "the database is down: reads by key are answered from memory for a while, everything else is refused",
      "the database is back",
    ])

    // A key that was refused is no longer in memory during the next outage.
    await proxy.refuse()
    await vi.waitFor(async () => expect((await read(key.key)).stale).not.toBeNull(), eventually)
    expect((await read(deletedKey.key)).status).toBe(503)
  },
)

test("the answer to a save whose commit got no answer does not say that nothing was saved", async () => {
  const { proxy, node, ann, environment, key, read } = await nodeBehindProxy()
  const session = { cookie: ann.cookie }
  // Each commit, since jobs of the node commit too.
  proxy.loseAnswerTo("commit")
  const answer = await node.guest.post(`/subcollection/${environment.id}/bulk`, [{ name: "A", value: "2" }], session)
  expect(answer).toMatchObject({
    status: 503,
    body: {
      error: true,
      msg: "The connection to the database was lost while saving. Check whether it was saved before you try again",
    },
  })
  await proxy.restore()
  await vi.waitFor(async () => expect((await read(key.key)).text).toBe('{"A":"2"}'), eventually)
})

test("reads from memory end after the time that the settings allow", async () => {
  const { proxy, key, read } = await nodeBehindProxy({ ENVKEEP_STALE_READS: "1" })
  await proxy.refuse()
  let answer = await read(key.key)
  while (answer.status === 200) {
    expect([null, "0", "1"]).toContain(answer.stale)
    answer = await read(key.key)
  }
  expect(answer.status).toBe(503)
})

test("if stale reads are switched off, a read fails as soon as the database cannot be reached", async () => {
  const { proxy, key, read } = await nodeBehindProxy({ ENVKEEP_STALE_READS: "0" })
  await proxy.refuse()
  let answer = await read(key.key)
  while (answer.status === 200) {
    expect(answer.stale).toBeNull()
    answer = await read(key.key)
  }
  expect(answer.status).toBe(503)
})

test("a key that was deleted on this node just before the outage is refused during the outage", async () => {
  const { proxy, node, ann, key, deletedKey, read } = await nodeBehindProxy()
  const here = { cookie: ann.cookie }
  expect((await node.guest.delete(`/api-key/${deletedKey.id}`, here)).status).toBe(200)
  expect((await read(key.key)).status).toBe(200)
  await proxy.refuse()
  await vi.waitFor(async () => expect((await read(key.key)).stale).not.toBeNull(), eventually)
  expect((await read(deletedKey.key)).status).toBe(503)
})
