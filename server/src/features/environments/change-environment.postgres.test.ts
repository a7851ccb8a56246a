import { testApp } from "@envkeep/testing/app.ts"
import { lockHolder } from "@envkeep/testing/lock-holder.ts"
import { expect, test } from "vitest"

test("changes of one environment wait for each other without a connection, so that others still get one", async () => {
  const app = await testApp()
  const { holder, waitingForLock } = await lockHolder(app)
  const [ann, bob] = [await app.user(), await app.user()]
  const environment = await ann.environment()
  const items = [await ann.item(environment, "A", "1"), await ann.item(environment, "B", "1")]

  await holder.query("begin")
  await holder.query("select id from environment where id = $1 for update", [environment.id])
  const names = Array.from({ length: 8 }, (_, index) => `NEW_${index}`)
  const added = [
    ...names.map((name) => ann.item(environment, name, "1")),
    ann.apiKey(environment, "first"),
    ann.apiKey(environment, "second"),
  ]
  const changed = [
    ann.put(`/collectionItem/${items[0]?.id}`, { name: "A", value: "2" }),
    ann.delete(`/collectionItem/${items[1]?.id}`),
    ann.put(`/subcollection/${environment.id}`, { name: "renamed" }),
    ann.post(
      `/subcollection/${environment.id}/bulk`,
      ["A", "B"].map((name) => ({ name, value: "3" })),
    ),
  ]
  await expect.poll(waitingForLock).toBe(1)
  for (let n = 0; n < 5; n++) expect((await bob.environment()).id).toEqual(expect.any(Number))
  expect(await waitingForLock()).toBe(1)

  await holder.query("commit")
  for (const { id } of await Promise.all(added)) expect(id).toEqual(expect.any(Number))
  for (const answer of await Promise.all(changed)) expect(answer).toMatchObject({ body: { error: false } })
})

test("a user's restores of whole environments wait for each other, so that they cannot keep all writers waiting", async () => {
  const app = await testApp()
  const { holder, waitingForLock } = await lockHolder(app)
  const [ann, bob] = [await app.user(), await app.user()]
  const held = await ann.environment()
  const other = await ann.environment("other", held.collectionId)
  for (const environment of [held, other]) await ann.item(environment, "A", "1")
  const restore = ({ id }: { id: number }) => ann.post(`/environments/${id}/restore`, { revision: 1 })

  await holder.query("begin")
  await holder.query("select id from environment where id = $1 for update", [held.id])
  const first = restore(held)
  await expect.poll(waitingForLock).toBe(1)
  const second = restore(other)
  for (let n = 0; n < 5; n++) await bob.environment()
  expect(await ann.itemsOf(other)).toHaveLength(1)

  await holder.query("commit")
  for (const answer of [await first, await second]) expect(answer.status).toBe(200)
  expect(await ann.itemsOf(other)).toEqual([])
})
