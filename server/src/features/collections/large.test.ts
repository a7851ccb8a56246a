import type { CollectionSummary, Found, ListedApiKey } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

test("a collection that is too large to load at once is answered with the same as any other", async () => {
  const app = await testApp()
  const ann = await app.user()
  const first = await ann.environment("first")
  const second = await ann.environment("second", first.collectionId)
  await ann.environment("empty", first.collectionId)
  await ann.item(first, "B", "1")
  await ann.item(first, "A", "2")
  await ann.item(second, "C", "3")
  await ann.apiKey(second)
  const paths = [
    `/collection/${first.collectionId}`,
    `/subcollection/all/${first.collectionId}`,
    `/collections/${first.collectionId}/environment-names`,
  ]
  const read = async () => {
    const answers = await Promise.all(paths.map((path) => ann.get(path)))
    // The counters show nowhere else.
    return answers.map(({ text }) => text.replaceAll(/"itemCount":\d+/g, ""))
  }
  const whole = await read()
  expect(whole.map((text) => text.slice(0, 14))).toEqual(paths.map(() => '{"error":false'))
  // As if there were more than is loaded at once.
  await app.db.updateTable("environment").set({ sealed_bytes: 20_000_000, item_count: 100_000 }).execute()
  expect(await read()).toEqual(whole)
})

testOnce("a list of many collections, with many environments, is whole and in order", async () => {
  const app = await testApp()
  const ann = await app.user()
  const first = await ann.environment()
  const added = await addCollections(app.db, ann, 230)
  const last = await ann.environment("last")
  const ids = [first.collectionId, ...added, last.collectionId]
  const large = ids.slice(4, 8)
  for (const collection_id of large) {
    const rows = Array.from({ length: 900 }, (_, n) => ({
      collection_id,
      name: `e${n}`,
      revision: 1,
      item_count: 0,
      sealed_bytes: 0,
    }))
    await app.db.insertInto("environment").values(rows).execute()
  }
  await ann.apiKey(first)
  await ann.apiKey(last)

  const listed = (await ann.get<CollectionSummary[]>("/collection")).body.data
  expect(listed.map(({ id }) => id)).toEqual(ids)
  expect(listed.map(({ role }) => role)).toEqual(ids.map(() => "owner"))
  const counts = ids.map((id) => (large.includes(id) ? 900 : Number(id === ids[0] || id === ids.at(-1))))
  expect(listed.map(({ subCollections }) => subCollections.length)).toEqual(counts)
  const found = (await ann.post<Found>("/find", { text: "e8" })).body.data
  expect(found.environments.total).toBe(large.length * 111)
  const keys = (await ann.get<ListedApiKey[]>("/api-key")).body.data
  expect(keys.map(({ subCollectionName }) => subCollectionName)).toEqual([first.name, "last"])
})
