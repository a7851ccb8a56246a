import { testApp } from "@envkeep/testing/app.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

async function watched() {
  const app = await testApp()
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const ann = await app.user()
  const environment = await ann.environment()
  const { key, id } = await ann.apiKey(environment)
  const watch = async (bearer = key) => {
    const response = await fetch(`${url}/api/v1/variables/watch`, { headers: { authorization: `Bearer ${bearer}` } })
    return { response, events: readEvents(response) }
  }
  return { ...app, url, ann, environment, key, keyId: id, watch }
}

const revision = (n: number) => ({ value: { event: "revision", data: { revision: n } }, done: false })
const gone = { value: { event: "gone", data: {} }, done: false }
const end = { value: undefined, done: true }

test("a watcher receives the current revision, then each new one, and never a value", async () => {
  const { ann, environment, watch } = await watched()
  const { response, events } = await watch()
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
  expect(response.headers.get("cache-control")).toBe("no-store, no-transform")
  expect(await events.next()).toEqual(revision(1))
  const item = await ann.item(environment, "TOKEN", "secret")
  expect(await events.next()).toEqual(revision(2))
  await ann.put(`/subcollection/${environment.id}`, { name: "renamed" })
  expect(await events.next()).toEqual(revision(3))
  await ann.delete(`/collectionItem/${item.id}`)
  expect(await events.next()).toEqual(revision(4))
  await events.return(undefined)
})

test("who is told of a revision reads no earlier one, even if this node was not notified yet", async () => {
  const { core, guest, key, watch } = await watched()
  const readRevision = async () => (await guest.variables(key)).headers["envkeep-revision"]
  expect(await readRevision()).toBe("1")
  await core.bookkeep((tx) => tx.updateTable("environment").set({ revision: 2 }).execute())
  const { events } = await watch()
  expect(await events.next()).toEqual(revision(2))
  expect(await readRevision()).toBe("2")
  await events.return(undefined)
})

test("a watch ends when its key, its environment or its collection is deleted", async () => {
  const { ann, environment, keyId, watch } = await watched()
  const other = await ann.apiKey(environment, "other")
  const [first, second] = [await watch(), await watch(other.key)]
  expect(await first.events.next()).toEqual(revision(1))
  expect(await second.events.next()).toEqual(revision(1))

  await ann.delete(`/api-key/${keyId}`)
  expect(await first.events.next()).toEqual(gone)
  expect(await first.events.next()).toEqual(end)

  await ann.item(environment)
  expect(await second.events.next()).toEqual(revision(2))
  await ann.delete(`/collection/${environment.collectionId}`)
  expect(await second.events.next()).toEqual(gone)
  expect(await second.events.next()).toEqual(end)
})

testOnce("an invalid key is refused in the envelope before a stream starts", async () => {
  const { watch } = await watched()
  const { response } = await watch("ek_nonsense")
  expect(response.status).toBe(401)
  expect(await response.json()).toEqual({ error: true, msg: "This API key is not valid", data: null })
})

testOnce("stopping the server ends the watches cleanly", async () => {
  const { app, watch } = await watched()
  const { events } = await watch()
  await events.next()
  await app.close()
  expect(await events.next()).toEqual(end)
})

testOnce("a thousand watchers all receive a change", async () => {
  const { ann, environment, watch } = await watched()
  const watchers = await Promise.all(Array.from({ length: 1_000 }, () => watch()))
  const next = () => Promise.all(watchers.map(({ events }) => events.next()))
  expect(new Set((await next()).map((received) => JSON.stringify(received)))).toEqual(
    new Set([JSON.stringify(revision(1))]),
  )
  await ann.item(environment)
  expect(new Set((await next()).map((received) => JSON.stringify(received)))).toEqual(
    new Set([JSON.stringify(revision(2))]),
  )
  await Promise.all(watchers.map(({ events }) => events.return(undefined)))
})

testOnce("an API key can read the names of its environment and collection", async () => {
  const { guest, ann, key, environment } = await watched()
  await ann.item(environment)
  expect(await guest.get("/v1/key", { authorization: `Bearer ${key}` })).toMatchObject({
    status: 200,
    body: { error: false, data: { name: "ci", environment: "production", collection: "app", revision: 2 } },
  })
  expect(await guest.get("/v1/key", { authorization: "Bearer x" })).toMatchObject({
    status: 401,
    body: { msg: "This API key is not valid" },
  })
})
