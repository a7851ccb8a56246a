import { calls, type Environment, type User } from "@envkeep/contract"
import { allCalls, routeOf, routesIn } from "@envkeep/testing/all-calls.ts"
import { password, testApp } from "@envkeep/testing/app.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { createReset } from "../features/users/resets.ts"
import type { ChangeEvent } from "./core.ts"

/** The real app, and every event that its changes record. */
async function recordingApp(record: (event: ChangeEvent) => void = () => undefined) {
  const events: ChangeEvent[] = []
  const app = await testApp({
    async record(_, event) {
      record(event)
      events.push(event)
    },
  })
  return { app, events }
}

test("every call that changes something records one event: who, what, and on what, but never a value", async () => {
  const { app, events } = await recordingApp()
  const ann = await app.admin()
  const { id: userId } = (await ann.get<User>("/users/me")).body.data
  const { body: collection } = await ann.post<{ id: number }>("/collection", { name: "app", description: "" })
  const environment = await ann.environment("production", collection.data.id)
  const item = await ann.item(environment, "NAME", "a value")
  const key = await ann.apiKey(environment)
  const seen = events.length
  const about = { collectionId: collection.data.id, environmentId: environment.id }
  const changes: [call: () => Promise<unknown>, action: string, subject: object][] = [
    [
      () => ann.put(`/collection/${collection.data.id}`, { name: "other" }),
      "collection.update",
      { collectionId: collection.data.id },
    ],
    [() => ann.put(`/subcollection/${environment.id}`, { name: "other" }), "environment.rename", about],
    [
      () => ann.put(`/collectionItem/${item.id}`, { name: "NEW", value: "b value" }),
      "item.edit",
      { ...about, names: ["NEW"] },
    ],
    [
      () => ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "B", value: "c value" }]),
      "items.save",
      { ...about, names: ["B", "NEW"] },
    ],
    [
      () => ann.put(`/environments/${environment.id}/items`, [{ name: "C", value: "a value" }]),
      "items.save",
      { ...about, names: ["C"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/restore`, { revision: 5 }),
      "environment.restore",
      { ...about, names: ["C"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/restore-item`, { name: "NAME", revision: 3 }),
      "item.restore",
      { ...about, names: ["NAME"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/erase`, { name: "NAME", revision: 2 }),
      "version.erase",
      { ...about, names: ["NAME"] },
    ],
    [
      async () => ann.delete(`/collectionItem/${(await ann.itemsOf(environment))[0]?.id}`),
      "item.delete",
      { ...about, names: ["B"] },
    ],
    [
      () => ann.delete(`/api-key/${key.id}`),
      "api-key.delete",
      { environmentId: environment.id, apiKeyId: key.id, apiKeyName: "ci" },
    ],
    ...trashChanges(ann, environment),
    [
      () => ann.post("/hrkljush/product/create", { name: "p", type: "SERVICE", category: "SOFTWARE" }),
      "product.create",
      { productId: expect.any(Number) },
    ],
    [() => ann.put("/users", { username: "ann", email: ann.email }), "account.update", { userId: expect.any(Number) }],
    [
      () =>
        ann.put("/users/password", {
          oldPassword: password,
          password: "another password",
          password2: "another password",
        }),
      "account.password",
      { userId: expect.any(Number) },
    ],
    [() => ann.post("/users/logout"), "session.end", {}],
  ]
  for (const [call] of changes) expect(await call()).toMatchObject({ body: { error: false } })
  expect(events.slice(seen).map(({ action, subject }) => [action, subject])).toEqual(
    changes.map(([, action, subject]) => [action, subject]),
  )
  for (const { caller } of events.slice(seen))
    expect(caller).toMatchObject({ kind: "user", userId: expect.any(Number) })

  const earlier = events.slice(0, seen).map(({ action, caller }) => `${action} by ${caller.kind}`)
  expect(earlier).toEqual([
    "account.create by guest",
    "session.begin by guest",
    "admin.grant by server",
    "collection.create by user",
    "environment.create by user",
    "item.add by user",
    "api-key.create by user",
  ])

  const token = await createReset(app.core, userId)
  await app.guest.post("/users/password/reset", { token, password, password2: password })
  expect(events.slice(-2).map(({ action, caller, subject }) => [`${action} by ${caller.kind}`, subject])).toEqual([
    ["account.reset-link by server", { userId }],
    ["account.reset-password by guest", { userId }],
  ])

  expect(JSON.stringify(events)).not.toMatch(/[abc] value/)
  const writes = allCalls.filter((call) => call.method !== "GET" && call !== calls.users.checkResetLink)
  expect(routesIn(app.log)).toEqual(expect.arrayContaining(writes.map(routeOf)))
})

/** Both are called "other" by now. */
function trashChanges(ann: Person, { id, collectionId }: Environment): [() => Promise<unknown>, string, object][] {
  const name = "other"
  const about = { collectionId, environmentId: id, environmentName: name }
  const whole = { collectionId, collectionName: name }
  return [
    [() => ann.delete(`/subcollection/${id}`), "environment.delete", about],
    [() => ann.post(`/trash/environments/${id}/restore`), "environment.recover", about],
    [() => ann.delete(`/subcollection/${id}`), "environment.delete", about],
    [() => ann.purge("environments", { id, name }), "environment.purge", about],
    [() => ann.post(`/collections/${collectionId}/trash/empty`, { name }), "trash.empty", { collectionId }],
    [() => ann.delete(`/collection/${collectionId}`), "collection.delete", whole],
    [() => ann.post(`/trash/collections/${collectionId}/restore`), "collection.recover", whole],
    [() => ann.delete(`/collection/${collectionId}`), "collection.delete", whole],
    [() => ann.purge("collections", { id: collectionId, name }), "collection.purge", whole],
    [() => ann.post("/trash/empty", { name: "somebody" }), "trash.empty", { userId: expect.any(Number) }],
  ]
}

test("saving what is already there records nothing", async () => {
  const { app, events } = await recordingApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, "NAME", "a value")
  const seen = events.length
  await ann.put(`/collectionItem/${item.id}`, { name: "NAME", value: "a value" })
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "NAME", value: "a value" }])
  expect(events.length).toBe(seen)
})

test("if its event cannot be recorded, a change is not made", async () => {
  let refuse = false
  const { app } = await recordingApp(() => {
    if (refuse) throw new Error("the event cannot be written")
  })
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  await ann.item(environment, "NAME", "before")
  refuse = true
  const answer = await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "NAME", value: "after" }])
  expect(answer.status).toBe(500)
  expect((await app.guest.variables(key)).text).toBe('{"NAME":"before"}')
})

test("listeners are called for each commit before the caller is answered, and not for changes that failed", async () => {
  const { core, ...app } = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const received: string[] = []
  core.listeners.push(
    (changes) => void received.push(`first ${JSON.stringify(changes)}`),
    (changes) => void received.push(`second ${JSON.stringify(changes)}`),
  )
  await ann.item(environment, "NAME", "a value")
  const change = JSON.stringify([{ environmentId: environment.id }])
  expect(received).toEqual([`first ${change}`, `second ${change}`])
  await ann.item(environment, "NAME", "taken")
  expect(received).toHaveLength(2)
})
