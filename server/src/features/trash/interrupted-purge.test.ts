import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { purgeExpiredTrash } from "./rules.ts"

const itemCount = 5_000

/** An account with a large environment that is deleted forever but for its rows. */
async function withLargeTrash({ user, db }: TestApp) {
  const ann = await user()
  const environment = await ann.environment()
  const items = Array.from({ length: itemCount }, (_, n) => ({ name: `NAME_${n}`, value: "v" }))
  expect(await ann.post(`/subcollection/${environment.id}/bulk`, items)).toMatchObject({ status: 200 })
  await ann.delete(`/subcollection/${environment.id}`)
  await db.updateTable("environment").set({ trashed_at: 0 }).where("id", "=", environment.id).execute()
  return ann
}

async function rowsIn({ db }: TestApp) {
  const [versions, items, environments] = [
    await db.selectFrom("item_version").select("id").execute(),
    await db.selectFrom("item").select("id").execute(),
    await db.selectFrom("environment").select("id").execute(),
  ]
  return { versions: versions.length, items: items.length, environments: environments.length }
}

testOnce("a purge that is told to end leaves the rest to the next one", async () => {
  const stopping = new AbortController()
  const app = await testApp({
    logQuery: ({ query }) => {
      if (query.sql.startsWith('delete from "item_version"')) stopping.abort()
    },
  })
  await withLargeTrash(app)
  const collection = await (await app.user()).collection()
  await app.db.updateTable("collection").set({ trashed_at: 0 }).where("id", "=", collection.id).execute()

  expect(await purgeExpiredTrash(app.core, 30, stopping.signal)).toEqual({ collections: 1, environments: 0 })
  expect(await rowsIn(app)).toEqual({ versions: itemCount - 100, items: itemCount, environments: 1 })
  expect(await purgeExpiredTrash(app.core, 30)).toEqual({ collections: 0, environments: 1 })
  expect(await rowsIn(app)).toEqual({ versions: 0, items: 0, environments: 0 })
})

test("a server stops in the middle of a long purge, with what it has counted, and the next start goes on", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const purging = Promise.withResolvers<void>()
  const app = await testApp({
    logQuery: ({ query }) => {
      if (query.sql.startsWith('delete from "item_version"')) purging.resolve()
    },
  })
  const ann = await withLargeTrash(app)
  const { key } = await ann.apiKey(await ann.environment("production"))
  vi.advanceTimersByTime(60_000)
  await purging.promise
  expect((await app.guest.variables(key)).status).toBe(200)
  await app.close()

  const again = await testApp({ location: app.location })
  // The environment goes last. How far its rows have gone by then depends on what else the machine does.
  const left = await rowsIn(again)
  expect(left.environments).toBe(2)
  expect(left.items).toBeGreaterThan(0)
  expect(await again.db.selectFrom("key_read").select("reads").execute()).toEqual([{ reads: 1 }])
  vi.advanceTimersByTime(60_000)
  await vi.waitFor(async () => expect(await rowsIn(again)).toMatchObject({ items: 0, environments: 1 }), eventually)
})
