import type { Envelope } from "@envkeep/contract"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, test } from "vitest"

const rootKey = "33".repeat(32)

/** Two server processes on one store that has an environment with a key, and functions to write and read on either. */
async function twoNodes() {
  const location = await newStoreLocation()
  const env = { ENVKEEP_ROOT_KEY: rootKey }
  const urls = [await run(location, { env }).url(), await run(location, { env }).url()] as const
  let cookie = ""
  const call = async (node: 0 | 1, method: string, path: string, body?: unknown) => {
    const response = await fetch(`${urls[node]}/api${path}`, {
      method,
      headers: { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie
    return ((await response.json()) as Envelope<{ id: number; key: string }>).data
  }
  const form = { username: "ann", email: "ann@example.com", password: "password", password2: "password" }
  await call(0, "POST", "/users/register", form)
  await call(0, "POST", "/users/login", { email: form.email, password: form.password })
  const collection = await call(0, "POST", "/collection", { name: "app" })
  const environment = await call(0, "POST", "/subcollection", { name: "production", collectionId: collection.id })
  const apiKey = await call(0, "POST", "/api-key", { name: "ci", subCollectionId: environment.id })
  const headers = { authorization: `Bearer ${apiKey.key}` }
  const read = async (node: 0 | 1) => {
    const response = await fetch(`${urls[node]}/api/v1/variables`, { headers })
    return response.ok ? response.text() : response.status
  }
  const watch = async (node: 0 | 1) => readEvents(await fetch(`${urls[node]}/api/v1/variables/watch`, { headers }))
  const follow = async (node: 0 | 1) =>
    readEvents(await fetch(`${urls[node]}/api/collections/${collection.id}/live`, { headers: { cookie } }))
  return { call, read, watch, follow, environment, apiKey }
}

/** Reads until the answer is `expected`. That this takes less than a second is measured by the benchmarks. */
async function until(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  const timeout = AbortSignal.timeout(10_000)
  let answer = await read()
  while (answer !== expected && !timeout.aborted) answer = await read()
  expect(answer).toBe(expected)
}

test("a login, a change or the deletion of a key on one node soon takes effect on the other", async () => {
  const { call, read, environment, apiKey } = await twoNodes()
  expect(await read(0)).toBe("{}")
  expect(await read(1)).toBe("{}")

  for (let n = 1; n <= 5; n++) {
    await call(0, "POST", `/subcollection/${environment.id}/bulk`, [{ name: "A", value: String(n) }])
    expect(await read(0)).toBe(`{"A":"${n}"}`)
    await until(() => read(1), `{"A":"${n}"}`)
  }
  await call(1, "DELETE", `/api-key/${apiKey.id}`)
  expect(await read(1)).toBe(401)
  await until(() => read(0), 401)
})

test("watchers and screens on one node hear of changes made on another", async () => {
  const { call, watch, follow, environment } = await twoNodes()
  const events = await watch(1)
  const screen = await follow(1)
  expect(await events.next()).toMatchObject({ value: { data: { revision: 1 } } })
  expect(await screen.next()).toMatchObject({ value: { data: { environments: [{ revision: 1 }] } } })
  await call(0, "POST", "/collectionItem", { name: "A", value: "1", subCollectionId: environment.id })
  expect(await events.next()).toMatchObject({ value: { data: { revision: 2 } } })
  expect(await screen.next()).toMatchObject({ value: { data: { revision: 2, by: "ann" } } })
  await call(0, "POST", "/api-key", { name: "other", subCollectionId: environment.id })
  expect(await screen.next()).toMatchObject({ value: { event: "list" } })
  await events.return(undefined)
  await screen.return(undefined)
})
