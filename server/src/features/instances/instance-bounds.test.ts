import { type InstanceCount, type instances, limits, type OutputOf } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import type { CompiledQuery } from "kysely"
import { expect, test } from "vitest"
import { keyCaller } from "../../http/bearer.ts"
import { InstanceTracker } from "./tracker.ts"

type Listed = OutputOf<typeof instances.list>
type App = Awaited<ReturnType<typeof tracked>>
type Reader = Awaited<ReturnType<App["reader"]>>

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A tracker with few places, whose clock the test sets. */
async function tracked(bounds: { total: number; perOwner: number }) {
  const executed: CompiledQuery[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(query) })
  const clock = { now: Date.now() }
  const tracker = new InstanceTracker(app.core, () => clock.now, bounds)
  const rowCount = async () => (await app.core.db.selectFrom("instance").select("id").execute()).length
  return { ...app, executed, clock, tracker, rowCount, reader: (owner?: Owner) => reader(app, tracker, owner) }
}

type Owner = Awaited<ReturnType<Awaited<ReturnType<typeof testApp>>["user"]>>

/** An environment with a key. */
async function reader(app: Awaited<ReturnType<typeof testApp>>, tracker: InstanceTracker, owner?: Owner) {
  const user = owner ?? (await app.user())
  const environment = await user.environment()
  const { key, id: keyId } = await user.apiKey(environment)
  const { id: ownerId } = (await user.get<{ id: number }>("/users/me")).body.data
  const holder = { keyId, ownerId, environmentId: environment.id }
  const caller = (label: string, process = "a") =>
    keyCaller({ authorization: `Bearer ${key}`, "envkeep-instance": `${label};${process}` }, "203.0.113.7")
  return {
    user,
    environment,
    keyId,
    reads(label: string, process?: string) {
      const one = caller(label, process)
      tracker.noteRead(one, { holder, rendered: { revision: 1 } })
    },
    watches: (label: string) => tracker.watches(caller(label), holder),
    list: async () => (await user.get<Listed>(`/environments/${environment.id}/instances`)).body.data,
  }
}

const labelsOf = async ({ list }: Reader) => (await list()).instances.map(({ label }) => label)

test("an account that names more programs than there are places takes none from others", async () => {
  const { tracker, rowCount, reader } = await tracked({ total: 12, perOwner: 10 })
  const bob = await reader()
  for (const label of ["early-1", "early-2"]) bob.reads(label)
  await tracker.flush()
  // With several keys, in several collections.
  const ann = await reader()
  const readers = [ann, await reader(ann.user), await reader(ann.user), await reader(ann.user)]
  for (const [at, one] of readers.entries()) {
    for (let n = 0; n < 5; n++) one.reads(`crowd-${at}-${n}`)
    await tracker.flush()
  }
  expect(tracker.size()).toBe(12)
  for (const label of ["late-1", "late-2", "late-3"]) bob.reads(label)
  await tracker.flush()
  expect(await bob.list()).toMatchObject({ running: 5, gone: 0 })
  expect(await labelsOf(bob)).toEqual(["early-1", "early-2", "late-1", "late-2", "late-3"])
  // Those that were not seen for the longest time gave way, with their rows.
  const crowd = await Promise.all(readers.map(async ({ list }) => (await list()).running))
  expect(crowd).toEqual([0, 0, 2, 5])
  expect(await rowCount()).toBe(12)
})

testOnce("a program that comes and goes under ever new names leaves few rows", async () => {
  const app = await tracked({ total: 600, perOwner: 300 })
  const { executed, clock, tracker, rowCount, reader } = app
  const ann = await reader()
  const stays = ann.watches("stays")
  for (let round = 0; round < 6; round++) {
    for (let n = 0; n < 299; n++) ann.watches(`${round}-${n}`)()
    await tracker.flush()
    expect(await rowCount()).toBeLessThanOrEqual(300)
    // They are gone by then.
    clock.now += 3 * minuteMs
    await tracker.flush()
    expect(tracker.size()).toBe(1)
  }
  expect(await rowCount()).toBe(300)
  stays()
  const removals = executed.filter(
    ({ sql, parameters }) => /^delete from "instance"/.test(sql) && parameters.length > 3,
  )
  expect(removals).not.toEqual([])
  for (const removal of removals) expect(await planOf(app, removal)).not.toMatch(/\bSCAN\b|Seq Scan/)
})

testOnce("what is gone gives way before what runs, however long ago that was seen", async () => {
  const { clock, tracker, reader } = await tracked({ total: 100, perOwner: 3 })
  const ann = await reader()
  ann.reads("server")
  await tracker.flush()
  for (const label of ["visitor-1", "visitor-2", "visitor-3"]) {
    clock.now += 3 * minuteMs
    await tracker.flush()
    ann.watches(label)()
    await tracker.flush()
  }
  expect(new Set(await labelsOf(ann))).toEqual(new Set(["server", "visitor-2", "visitor-3"]))
  // A day after they went, their places are free.
  clock.now += 23 * hourMs
  ann.reads("server")
  await tracker.flush()
  clock.now += 2 * hourMs
  await tracker.flush()
  for (const label of ["other-1", "other-2"]) ann.reads(label)
  await tracker.flush()
  expect(await labelsOf(ann)).toEqual(expect.arrayContaining(["server", "other-1", "other-2"]))
  expect(tracker.size()).toBe(3)
})

testOnce("a program that is started again and again does not take the place of one that runs", async () => {
  const { clock, tracker, reader } = await tracked({ total: 100, perOwner: 5 })
  const ann = await reader()
  ann.reads("server")
  for (let n = 0; n < 20; n++) {
    clock.now += minuteMs
    ann.reads("cron", `p${n}`)
    await tracker.flush()
  }
  expect(await labelsOf(ann)).toEqual(["cron", "server"])
})

testOnce("one that gave way is shown again when it reads again", async () => {
  const { tracker, reader } = await tracked({ total: 100, perOwner: 2 })
  const ann = await reader()
  for (const label of ["a", "b", "c", "a"]) {
    ann.reads(label)
    await tracker.flush()
  }
  expect(await labelsOf(ann)).toEqual(["a", "c"])
  // Also if both happen before either is saved.
  for (const label of ["b", "c", "a"]) ann.reads(label)
  await tracker.flush()
  expect(await labelsOf(ann)).toEqual(["a", "c"])
})

testOnce("a watcher that gave way leaves no row when it ends", async () => {
  const { tracker, rowCount, reader } = await tracked({ total: 100, perOwner: 1 })
  const ann = await reader()
  const leave = ann.watches("watcher")
  await tracker.flush()
  ann.reads("other")
  await tracker.flush()
  leave()
  await tracker.flush()
  expect(await labelsOf(ann)).toEqual(["other"])
  expect(await rowCount()).toBe(1)
})

testOnce("a deleted key has no places", async () => {
  const { tracker, reader } = await tracked({ total: 100, perOwner: 10 })
  const ann = await reader()
  ann.reads("a")
  await ann.user.delete(`/api-key/${ann.keyId}`)
  await tracker.flush()
  expect(tracker.size()).toBe(0)
})

/** How many rows a statement may return. On SQLite the number is a part of its text. */
function limitOf({ sql, parameters }: CompiledQuery): unknown {
  const [, limit] = / limit (\S+)$/.exec(sql) ?? []
  return limit?.startsWith("$") ? parameters.at(-1) : Number(limit)
}

test("many are listed in short statements, and counted right", async () => {
  const { executed, clock, tracker, reader } = await tracked({ total: 5_000, perOwner: 5_000 })
  const ann = await reader()
  const numbered = (n: number) => String(n).padStart(4, "0")
  // Those of an hour ago have left.
  clock.now -= hourMs
  for (let n = 0; n < 600; n++) ann.watches(`left-${numbered(n)}`)()
  await tracker.flush()
  clock.now += hourMs
  for (let n = 0; n < 700; n++) ann.reads(`b-${numbered(n)}`)
  await tracker.flush()
  await ann.user.item(ann.environment)
  executed.length = 0
  const listed = await ann.list()
  expect(listed).toMatchObject({ running: 700, current: 0, gone: 600 })
  const labels = Array.from({ length: 1_300 }, (_, n) => (n < 700 ? `b-${numbered(n)}` : `left-${numbered(n - 700)}`))
  expect(listed.instances.map(({ label }) => label)).toEqual(labels.slice(0, limits.listedInstances))
  const reads = executed.filter(({ sql }) => /"instance"/.test(sql))
  expect(reads.map(limitOf)).toEqual([500, 500, 500])
  const { data } = (await ann.user.get<InstanceCount[]>(`/collections/${ann.environment.collectionId}/instances`)).body
  expect(data).toEqual([{ environmentId: ann.environment.id, running: 700, current: 0 }])
})
