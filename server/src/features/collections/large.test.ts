import { testApp } from "@envkeep/testing/app.ts"
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
