import { testApp } from "@envkeep/testing/app.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { readerStream } from "@envkeep/testing/reader-stream.ts"
import { callerOf, screensApp } from "@envkeep/testing/screens.ts"
import { expect, test, vi } from "vitest"
import { theServer } from "../../access/caller.ts"
import { disableAccount } from "../users/administration.ts"

async function followed() {
  const app = await testApp()
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const ann = await app.user()
  const environment = await ann.environment()
  const follow = async (person: Person = ann, id = environment.collectionId) => {
    const response = await fetch(`${url}/api/collections/${id}/live`, { headers: { cookie: person.cookie } })
    return { response, events: readEvents(response) }
  }
  return { ...app, ann, environment, collectionId: environment.collectionId, follow }
}

const is = (event: string, data: object) => ({ value: { event, data }, done: false })
const end = { value: undefined, done: true }

test("a screen is told the state, then each change with its revision, who and when, and never a value", async () => {
  const { ann, environment, collectionId, follow } = await followed()
  const { response, events } = await follow()
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
  expect(response.headers.get("cache-control")).toBe("no-store, no-transform")
  const state = (description: string, environments: { id: number; revision: number }[]) => ({
    name: "app",
    description,
    role: "owner",
    environments: environments.map((one) => ({ ...one, isProtected: false })),
  })
  expect(await events.next()).toEqual(is("state", state("", [{ id: environment.id, revision: 1 }])))

  const by = { by: "someone", at: expect.any(String) }
  const item = await ann.item(environment, "TOKEN", "secret value")
  expect(await events.next()).toEqual(is("environment", { id: environment.id, revision: 2, ...by }))
  await ann.put(`/subcollection/${environment.id}`, { name: "renamed" })
  expect(await events.next()).toEqual(is("environment", { id: environment.id, revision: 3, ...by }))
  await ann.delete(`/collectionItem/${item.id}`)
  expect(await events.next()).toEqual(is("environment", { id: environment.id, revision: 4, ...by }))

  const other = await ann.environment("staging", collectionId)
  const environments = [
    { id: environment.id, revision: 4 },
    { id: other.id, revision: 1 },
  ]
  const list = is("list", state("", environments))
  expect(await events.next()).toEqual(list)
  const key = await ann.apiKey(other)
  expect(await events.next()).toEqual(list)
  for (const isDisabled of [true, false]) {
    await ann.put(`/api-key/${key.id}/disabled`, { isDisabled })
    expect(await events.next()).toEqual(list)
  }
  await ann.put(`/api-key/${key.id}`, { note: "of the old server" })
  expect(await events.next()).toEqual(list)
  await ann.delete(`/api-key/${key.id}`)
  expect(await events.next()).toEqual(list)
  await ann.put(`/collection/${collectionId}`, { name: "app", description: "described" })
  expect(await events.next()).toEqual(is("list", state("described", environments)))
  await ann.delete(`/subcollection/${other.id}`)
  expect(await events.next()).toEqual(is("list", state("described", [{ id: environment.id, revision: 4 }])))
  await ann.post(`/trash/environments/${other.id}/restore`)
  expect(await events.next()).toEqual(is("list", state("described", environments)))
  await ann.item(other)
  expect(await events.next()).toEqual(is("environment", { id: other.id, revision: 2, ...by }))
  await events.return(undefined)
})

testOnce("another user's collection cannot be followed, and what happens in it is not told", async () => {
  const { user, environment, ann, follow } = await followed()
  const bob = await user()
  const { response } = await follow(bob)
  expect([response.status, await response.json()]).toEqual([
    404,
    { error: true, msg: "Collection not found", data: null },
  ])
  const his = await bob.environment()
  const { events } = await follow(bob, his.collectionId)
  await events.next()
  await ann.item(environment)
  await bob.item(his)
  expect(await events.next()).toMatchObject(is("environment", { id: his.id }))
  await events.return(undefined)
})

testOnce("a stream ends with the session, the account or the collection that it belongs to", async () => {
  const { ann, core, collectionId, follow } = await followed()
  const gone = is("gone", {})
  const open = async () => {
    const { events } = await follow()
    expect(await events.next()).toMatchObject({ value: { event: "state" } })
    return events
  }
  const ofSession = await open()
  await ann.post("/users/logout")
  expect([await ofSession.next(), await ofSession.next()]).toEqual([gone, end])

  await ann.post("/users/login", { email: ann.email, password: "correct horse battery staple" })
  const ofCollection = await open()
  await ann.delete(`/collection/${collectionId}`)
  expect([await ofCollection.next(), await ofCollection.next()]).toEqual([gone, end])

  const other = await ann.environment()
  const { events: ofAccount } = await follow(ann, other.collectionId)
  await ofAccount.next()
  const { id } = (await ann.get<{ id: number }>("/users/me")).body.data
  await disableAccount(core, theServer, id)
  expect([await ofAccount.next(), await ofAccount.next()]).toEqual([gone, end])
})

const stream = () => readerStream((event) => event)

testOnce("one query tells 500 screens, and so does a node that may have missed changes", async () => {
  const { ann, userId, live, reads } = await screensApp()
  const environment = await ann.environment()
  const caller = callerOf(userId)
  const screens: string[][] = []
  for (let n = 0; n < 500; n++) {
    const { sent, open } = stream()
    await live.add(caller, environment.collectionId, open)
    screens.push(sent)
  }
  await vi.waitFor(() => expect(screens.every((sent) => sent.length === 1)).toBe(true))
  await expect(live.add(caller, environment.collectionId, stream().open)).rejects.toMatchObject({ bound: "watchers" })

  await ann.item(environment)
  reads.count = 0
  live.changed([{ environmentId: environment.id }])
  await vi.waitFor(() => expect(screens.every((sent) => sent.at(-1) === "environment")).toBe(true))
  expect(reads.count).toBeLessThanOrEqual(2)

  reads.count = 0
  for (let n = 0; n < 5; n++) live.mayHaveMissedChanges()
  await vi.waitFor(() => expect(reads.count).toBeGreaterThan(0))
  expect(reads.count).toBeLessThanOrEqual(2)
  expect(screens.every((sent) => sent.length === 2)).toBe(true)
})
