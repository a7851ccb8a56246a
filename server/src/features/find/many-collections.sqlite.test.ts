import type { Found } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { countTurns } from "@envkeep/testing/count-turns.ts"
import { expect, test } from "vitest"

test("a search through many collections without environments lets others run after each page of them", async () => {
  const { db, ...app } = await testApp()
  const ann = await app.user()
  for (let n = 0; n < 4; n++) await addCollections(db, ann, 500)
  const turns = countTurns()
  const before = turns()
  const { body } = await ann.post<Found>("/find", { text: "app" })
  expect(body.data.collections.total).toBe(2_000)
  expect(turns() - before).toBeGreaterThanOrEqual(20)
})
