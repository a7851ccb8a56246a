import type { Environment, Instance, InstanceCount, instances, OutputOf } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test, vi } from "vitest"
import { keyCaller } from "../../http/bearer.ts"
import { InstanceTracker } from "./tracker.ts"

type Listed = OutputOf<typeof instances.list>

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** An environment with a key, and a tracker whose clock the test sets. */
async function tracked() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const { key, id: keyId } = await ann.apiKey(environment)
  const { id: ownerId } = (await ann.get<{ id: number }>("/users/me")).body.data
  const holder = { keyId, ownerId, environmentId: environment.id }
  const clock = { now: Date.now() }
  const tracker = new InstanceTracker(app.core, () => clock.now)
  const caller = (label: string, process: string) =>
    keyCaller(
      {
        authorization: `Bearer ${key}`,
        "user-agent": "envkeep/0.2.0 (test)",
        "envkeep-instance": `${encodeURIComponent(label)};${process}`,
      },
      "203.0.113.7",
    )
  const reads = async (label: string, process: string, revision: number) => {
    const one = caller(label, process)
    tracker.noteRead(one, { holder, rendered: { revision } })
    await tracker.flush()
  }
  const list = async () => (await ann.get<Listed>(`/environments/${environment.id}/instances`)).body.data
  return { ...app, ann, environment, key, keyId, holder, clock, tracker, caller, reads, list }
}

const stateOf = ({ instances }: Listed) => instances.map(({ label, state, revision }) => [label, state, revision])

test("who reads is shown with the revision it got, and is behind after a change until it reads again", async () => {
  const { ann, environment, reads, list } = await tracked()
  await reads("web-1", "a", 1)
  await reads("web-2 ü", "b", 1)
  expect(await list()).toEqual({
    revision: 1,
    running: 2,
    current: 2,
    gone: 0,
    instances: ["web-1", "web-2 ü"].map((label) => ({
      id: expect.any(Number),
      label,
      state: "current",
      revision: 1,
      since: expect.any(String),
      firstSeenAt: expect.any(String),
      lastSeenAt: expect.any(String),
      isWatching: false,
      keyName: expect.any(String),
      client: "envkeep/0.2.0",
      address: "203.0.113.0/24",
    })),
  })
  await ann.item(environment)
  await reads("web-2 ü", "b", 2)
  expect(stateOf(await list())).toEqual([
    ["web-1", "behind", 1],
    ["web-2 ü", "current", 2],
  ])
  const counts = await ann.get<InstanceCount[]>(`/collections/${environment.collectionId}/instances`)
  expect(counts.body.data).toMatchObject([{ environmentId: environment.id, running: 2, current: 1 }])
})

testOnce(
  "a program that reads once takes the place of the last one with its label; one that reads on keeps its own",
  async () => {
    const { clock, reads, list } = await tracked()
    for (const process of ["a", "b", "c"]) await reads("cron", process, 1)
    expect((await list()).running).toBe(1)
    // It was not gone, only quiet.
    clock.now += minuteMs
    await reads("cron", "a", 1)
    await reads("cron", "d", 1)
    expect((await list()).running).toBe(2)
  },
)

test("a program is gone when it is quiet for longer than it ever was, and a watcher soon after it left", async () => {
  const { core, clock, tracker, caller, holder, reads, list } = await tracked()
  const goneAfterMs = async (label: string) => {
    const row = await core.db
      .selectFrom("instance")
      .select(["seen_at", "gone_at"])
      .where("label", "=", label)
      .executeTakeFirstOrThrow()
    return row.gone_at - row.seen_at
  }
  await reads("started", "a", 1)
  for (let n = 0; n < 3; n++) {
    await reads("polls often", "b", 1)
    clock.now += 70_000
  }
  for (let n = 0; n < 3; n++) {
    await reads("polls hourly", "c", 1)
    clock.now += hourMs
  }
  const leave = tracker.watches(caller("watches", "d"), holder)
  await tracker.flush()
  expect((await list()).instances.find(({ label }) => label === "watches")).toMatchObject({ isWatching: true })
  expect(await goneAfterMs("started")).toBe(24 * hourMs)
  expect(await goneAfterMs("polls often")).toBe(10 * minuteMs)
  expect(await goneAfterMs("polls hourly")).toBe(3 * hourMs)
  expect(await goneAfterMs("watches")).toBe(150_000)
  // It stays for as long as it is connected.
  clock.now += 24 * hourMs
  await tracker.flush()
  const watching = await core.db.selectFrom("instance").selectAll().where("label", "=", "watches").executeTakeFirst()
  expect(watching).toMatchObject({ seen_at: clock.now, is_watching: 1 })
  leave()
  await tracker.flush()
  expect(await goneAfterMs("watches")).toBe(2 * minuteMs)
  // All but this one were quiet for so long that they are forgotten here.
  clock.now += minuteMs
  await tracker.flush()
  expect(tracker.size()).toBe(1)
})

testOnce("what is gone is listed last and not counted as running", async () => {
  const { core, reads, list } = await tracked()
  await reads("a", "a", 1)
  await reads("b", "b", 1)
  await core.bookkeep((tx) => tx.updateTable("instance").set({ gone_at: 1 }).where("label", "=", "a").execute())
  const { running, gone, ...listed } = await list()
  expect([running, gone, stateOf({ running, gone, ...listed })]).toEqual([
    1,
    1,
    [
      ["b", "current", 1],
      ["a", "gone", 1],
    ],
  ])
})

testOnce(
  "over HTTP: reads and watches are noted, on the quick path too, and a deleted key takes its instances along",
  async () => {
    const { app, ann, environment, key, keyId, list } = await tracked()
    const url = await app.listen({ port: 0, host: "127.0.0.1" })
    const headers = { authorization: `Bearer ${key}`, "envkeep-instance": "host%2Fapp;1a2b" }
    const read = () => fetch(`${url}/api/v1/variables`, { headers })
    await read()
    await ann.item(environment)
    const watching = await fetch(`${url}/api/v1/variables/watch`, { headers: { ...headers, "envkeep-holds": "1" } })
    const events = readEvents(watching)
    await events.next()
    const only = async () => (await list()).instances as [Instance]
    await vi.waitFor(
      async () => expect(await only()).toMatchObject([{ label: "host/app", state: "behind", isWatching: true }]),
      eventually,
    )
    // The second one is answered from memory.
    for (let n = 0; n < 2; n++) await read()
    await vi.waitFor(async () => expect(await only()).toMatchObject([{ state: "current", revision: 2 }]), eventually)
    await ann.item(environment, "OTHER")
    expect(await only()).toMatchObject([{ state: "behind", revision: 2 }])
    await read()
    await vi.waitFor(async () => expect(await only()).toMatchObject([{ state: "current", revision: 3 }]), eventually)
    await ann.delete(`/api-key/${keyId}`)
    expect((await list()).instances).toEqual([])
    await events.return(undefined)
  },
)

testOnce.each([
  ["", undefined],
  ["web-1", undefined],
  [";a", undefined],
  ["%;a", undefined],
  ["web-1;a b", undefined],
  ["ek_0123456789;a", undefined],
  ["a%0A%1B%5B31mb;a", "a [31mb"],
  [`${"x".repeat(150)};a`, "x".repeat(100)],
  [`${encodeURIComponent("\u{1f600}".repeat(30))};a`, "\u{1f600}".repeat(30)],
])("a program that calls itself %j is shown as %j", (header, label) => {
  const { instance } = keyCaller({ authorization: "Bearer x", "envkeep-instance": header }, "127.0.0.1")
  expect(instance?.label).toBe(label)
})

testOnce("readers do not see who runs what, and editors not in a protected environment", async () => {
  const { user, ann, environment, reads } = await tracked()
  await reads("web-1", "a", 1)
  const bob = await user()
  const { data: me } = (await bob.get<{ id: number; email: string }>("/users/me")).body
  const path = `/environments/${environment.id}/instances`
  const addAs = (role: string) => ann.post(`/collections/${environment.collectionId}/members`, { who: me.email, role })
  const counts = async () =>
    (await bob.get<InstanceCount[]>(`/collections/${environment.collectionId}/instances`)).body.data
  expect(await bob.get(path)).toMatchObject({ status: 404 })
  await addAs("reader")
  expect(await bob.get(path)).toMatchObject({ status: 403 })
  await ann.put(`/collections/${environment.collectionId}/members/${me.id}`, { role: "editor" })
  expect((await bob.get<Listed>(path)).body.data.running).toBe(1)
  expect(await counts()).toHaveLength(1)
  await ann.put(`/environments/${environment.id}/protection`, { isProtected: true } satisfies Partial<Environment>)
  expect(await bob.get(path)).toMatchObject({ status: 403 })
  expect(await counts()).toEqual([])
})
