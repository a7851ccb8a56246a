import { testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { expect, test } from "vitest"

test("a trash with more collections than one statement marks is emptied as a whole", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { username } = (await ann.get<{ username: string }>("/users/me")).body.data
  await addCollections(app.db, ann, 1_100, { trashed_at: Date.now() })
  const total = async () => (await ann.get<{ total: number }>("/trash")).body.data.total
  expect(await total()).toBe(1_100)
  expect((await ann.post("/trash/empty", { name: username })).status).toBe(200)
  expect(await total()).toBe(0)
})
