import { testApp } from "@envkeep/testing/app.ts"
import { lockHolder } from "@envkeep/testing/lock-holder.ts"
import { expect, test } from "vitest"

test("of two collections with the same name that are restored at the same time, the second gets a number", async () => {
  const app = await testApp()
  const ann = await app.user()
  const trashed = [await ann.collection("a"), await ann.collection("a")]
  for (const { id } of trashed) await ann.delete(`/collection/${id}`)
  const { holder, waitingForLock } = await lockHolder(app)
  await holder.query("begin")
  await holder.query("select id from collection where id = $1 for update", [trashed[0]?.id])
  const restored = trashed.map(({ id }) => ann.post<{ name: string }>(`/trash/collections/${id}/restore`))
  await expect.poll(waitingForLock).toBe(1)
  await holder.query("commit")
  const names = (await Promise.all(restored)).map(({ body }) => body.data.name)
  expect(names).toEqual(["a", "a (2)"])
})
