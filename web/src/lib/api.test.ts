import { collections, history, items, users } from "@envkeep/contract"
import { expect, test, vi } from "vitest"
import { api, unreachable } from "./api.ts"

function answering(status: number, body: unknown) {
  const fetch = vi.fn(
    async (_url: string, _request?: { method: string; body?: string }) =>
      new Response(JSON.stringify(body), { status }),
  )
  vi.stubGlobal("fetch", fetch)
  return fetch
}

test("input that breaks the contract is not sent", async () => {
  const fetch = answering(200, {})
  await expect(api(collections.create, { name: "  ", description: "" })).rejects.toThrow("Name is required")
  expect(fetch).not.toHaveBeenCalled()
})

test("the id goes into the address and the rest into the body", async () => {
  const fetch = answering(200, { error: false, msg: "", data: { id: 7 } })
  await expect(api(items.update, { id: 7, name: " A ", value: " b " })).resolves.toEqual({ id: 7 })
  expect(fetch.mock.calls[0]?.[0]).toBe("/api/collectionItem/7")
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: "PUT", body: '{"name":"A","value":" b "}' })
})

test("what does not go into the address or the body goes into the query", async () => {
  const fetch = answering(200, { error: false, msg: "", data: null })
  await api(history.ofItem, { id: 7, name: "A&B ü", before: 3 })
  await api(items.remove, { id: 7, note: "no longer used" })
  await api(items.saveMany, { id: 7, items: [{ name: "A", value: "b" }], note: "12" })
  expect(fetch.mock.calls.map(([url, request]) => [url, request?.body])).toEqual([
    ["/api/environments/7/item-history?name=A%26B+%C3%BC&before=3", undefined],
    ["/api/collectionItem/7?note=no+longer+used", undefined],
    ["/api/environments/7/items?note=12", '[{"name":"A","value":"b"}]'],
  ])
})

test("most writes succeed with 200 only; login, register and collection create with any 2xx", async () => {
  answering(202, { error: false, msg: "Accepted", data: null })
  await expect(api(items.remove, { id: 1 })).rejects.toThrow("Accepted")
  await expect(api(users.login, { email: "a@b", password: "p" })).resolves.toBeNull()
  await expect(api(collections.create, { name: "a", description: "" })).resolves.toBeNull()
})

test("an error flag is a failure whatever the status", async () => {
  answering(200, { error: true, msg: "No", data: null })
  await expect(api(items.remove, { id: 1 })).rejects.toThrow("No")
})

test("a 401 ends the session, unless it is the login's own", async () => {
  answering(401, { error: true, msg: "No", data: null })
  await expect(api(items.remove, { id: 1 })).rejects.toMatchObject({ sessionEnded: true })
  await expect(api(users.login, { email: "a@b", password: "p" })).rejects.toMatchObject({ sessionEnded: false })
})

test("an unreachable server has a message of its own", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
  await expect(api(collections.list, {})).rejects.toThrow(unreachable)
})

test("an answer that is not from our server has no message", async () => {
  vi.stubGlobal("fetch", async () => new Response("<h1>Bad gateway</h1>", { status: 502 }))
  await expect(api(collections.list, {})).rejects.toMatchObject({ message: "", status: 502 })
})
