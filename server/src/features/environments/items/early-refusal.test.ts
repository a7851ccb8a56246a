import { limits, sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { rebase, refused } from "@envkeep/testing/chain.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"

// On SQLite everyone waits for a long change, so one that is refused must not cost its work.

/** The statements that write items or their versions. */
async function recordingApp(env = {}) {
  const written: string[] = []
  const app = await testApp({
    env,
    logQuery: ({ query: { sql } }) => {
      if (/^insert into "?item/.test(sql)) written.push(sql)
    },
  })
  return { app, written }
}

/** Each takes a bit more than half a kilobyte of the quota. */
const items = (count: number, prefix = "N") =>
  Array.from({ length: count }, (_, at) => ({ name: `${prefix}${at}`, value: "x" }))

/** Half of a quota of one megabyte. */
const half = 1_000

test("a long change beyond the quota is refused before an item is written, also if another one pays", async () => {
  const { app, written } = await recordingApp({ ENVKEEP_QUOTA_MB: "1" })
  const [ann, bob] = [await app.user(), await app.user()]
  const full = await ann.environment("full")
  const { collectionId } = full
  const other = await ann.environment("other", collectionId)
  await ann.post(`/collections/${collectionId}/members`, { who: bob.email, role: "maintainer" })
  expect(await ann.post(`/subcollection/${other.id}/bulk`, items(half))).toMatchObject({ status: 200 })
  expect(await ann.post(`/subcollection/${other.id}/bulk`, items(1))).toMatchObject({ status: 200 })
  expect(await ann.post(`/subcollection/${full.id}/bulk`, items(half))).toMatchObject({ status: 200 })
  expect(written.length).toBeGreaterThan(0)

  written.length = 0
  const names = items(half).map(({ name }) => name)
  const from = { environmentId: full.id, what: "names" }
  for (const [by, sentence] of [
    [ann, sentences.quotaExceeded(1_000_000)],
    [bob, sentences.ownersQuotaExceeded],
  ] as const) {
    const answers = [
      await by.post(`/subcollection/${other.id}/bulk`, items(half, "M")),
      await by.post(`/environments/${other.id}/copy?from=${full.id}`, names),
      await by.post("/subcollection", { name: "copy", collectionId, from }),
      await by.post(`/environments/${other.id}/restore`, { revision: 2 }),
    ]
    for (const answer of answers) expect(answer).toMatchObject(refused(400, sentence))
  }
  expect(written).toEqual([])
  expect(await ann.itemsOf(other)).toHaveLength(1)
})

test("values are copied down to all heirs or, beyond the quota, to none before the first is written", async () => {
  const { app, written } = await recordingApp({ ENVKEEP_QUOTA_MB: "1" })
  const ann = await app.user()
  const base = await ann.environment("base")
  // Each heir alone has room for them.
  const heirs = [await ann.environment("1", base.collectionId), await ann.environment("2", base.collectionId)]
  for (const heir of heirs) expect(await rebase(ann, heir, base)).toMatchObject({ status: 200 })
  expect(await ann.post(`/subcollection/${base.id}/bulk`, items(700))).toMatchObject({ status: 200 })

  written.length = 0
  const answer = await ann.delete(`/subcollection/${base.id}?copyDown=true`)
  expect(answer).toMatchObject(refused(400, sentences.quotaExceeded(1_000_000)))
  expect(written).toEqual([])
  expect(await ann.itemsOf(base)).toHaveLength(700)
  for (const heir of heirs) expect(await ann.itemsOf(heir)).toEqual([])
})

test("values are copied down to no heir if the last one, or the collection, has no room for them", async () => {
  const { app, written } = await recordingApp()
  const ann = await app.user()
  const base = await ann.environment("base")
  const { collectionId } = base
  const first = await ann.environment("first", collectionId)
  const last = await ann.environment("last", collectionId)
  for (const heir of [first, last]) expect(await rebase(ann, heir, base)).toMatchObject({ status: 200 })
  await ann.post(`/subcollection/${base.id}/bulk`, items(2))
  await ann.post(`/subcollection/${last.id}/bulk`, items(limits.itemsPerEnvironment - 1, "M"))
  const copyDown = () => ann.delete(`/subcollection/${base.id}?copyDown=true`)
  written.length = 0
  expect(await copyDown()).toMatchObject(refused(400, sentences.environmentFull))
  expect(written).toEqual([])

  const large = Array.from({ length: 60 }, (_, at) => ({ name: `L${at}`, value: "x".repeat(limits.itemValueBytes) }))
  await ann.post(`/subcollection/${base.id}/bulk`, large)
  await ann.post(`/subcollection/${last.id}/bulk`, items(1, "M"))
  for (const name of ["a", "b"]) {
    const { id } = await ann.environment(name, collectionId)
    expect(await ann.post(`/subcollection/${id}/bulk`, large)).toMatchObject({ status: 200 })
  }
  const more = await ann.environment("c", collectionId)
  // What is in the trash does not count, so there is room for one heir.
  expect(await ann.post(`/subcollection/${more.id}/bulk`, large.slice(0, 30))).toMatchObject({ status: 200 })
  written.length = 0
  expect(await copyDown()).toMatchObject(refused(400, sentences.collectionTooLarge))
  expect(written).toEqual([])
})
