import type { Item } from "@envkeep/contract"
import { historyWithRecord, withHistory } from "@envkeep/testing/history.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

// What comes back stands where it stood. Lists go by id, so it gets the id that it had.

async function withList(...names: string[]) {
  const made = await withHistory()
  const { ann, environment, path } = made
  const items: Item[] = []
  for (const name of names) items.push(await ann.item(environment, name, `value of ${name}`))
  const listed = async () => (await ann.itemsOf(environment)).map(({ name }) => name)
  return {
    ...made,
    items,
    names: listed,
    idOf: (name: string) => items.find((item) => item.name === name)?.id,
    remove: (...ids: (number | undefined)[]) =>
      Promise.all(ids.map((id) => ann.delete(`/collectionItem/${id}`).then(({ status }) => expect(status).toBe(200)))),
    restore: (number: number) => ann.post(`${path}/restore`, { revision: number }),
    restoreItem: (name: string, number: number) => ann.post(`${path}/restore-item`, { name, revision: number }),
  }
}

test("names that a restore brings back stand where they stood, in every list and format", async () => {
  const { ann, environment, items, names, idOf, remove, restore } = await withList("B", "C", "A", "D")
  const { key } = await ann.apiKey(environment)
  const heir = await ann.environment("heir", environment.collectionId)
  await ann.put(`/environments/${heir.id}/base`, { baseId: environment.id })
  const { key: heirKey } = await ann.apiKey(heir)
  const read = async (query: string) => [
    (await ann.variables(key, query)).text,
    (await ann.variables(heirKey, query.replace("&revision=5", ""))).text,
  ]
  const [then, inherited] = await read("?format=env&revision=5")
  await remove(idOf("B"), idOf("A"))
  await ann.item(environment, "E", "added later")

  expect((await restore(5)).status).toBe(200)
  expect(await ann.itemsOf(environment)).toMatchObject(items.map(({ id, name, value }) => ({ id, name, value })))
  expect(await names()).toEqual(["B", "C", "A", "D"])
  expect(await read("?format=env")).toEqual([then, inherited])
})

testOnce("an item that comes back alone stands where it stood, and its old id finds it", async () => {
  const { ann, environment, names, idOf, remove, restoreItem } = await withList("B", "C", "A")
  await remove(idOf("B"))
  expect((await restoreItem("B", 4)).status).toBe(200)
  expect(await names()).toEqual(["B", "C", "A"])
  await ann.put(`/collectionItem/${idOf("B")}`, { name: "B", value: "edited" })
  expect((await ann.itemsOf(environment))[0]).toMatchObject({ id: idOf("B"), name: "B", value: "edited" })
})

testOnce("a name that was added again after it was deleted goes back to its place", async () => {
  const { ann, environment, path, names, idOf, remove, restore, revision } = await withList("A", "B")
  await remove(idOf("A"))
  const again = await ann.item(environment, "A", "value of A")
  expect(await names()).toEqual(["B", "A"])
  const before = await revision()
  expect((await restore(3)).status).toBe(200)
  expect((await ann.itemsOf(environment)).map(({ id }) => id)).toEqual([idOf("A"), idOf("B")])
  // The order is what readers get, so another one is another revision.
  expect(await revision()).toBe(before + 1)
  expect((await ann.put(`/collectionItem/${again.id}`, { name: "A", value: "late" })).status).toBe(404)
  const { revisions } = (await ann.get<{ revisions: object[] }>(`${path}/history`)).body.data
  expect(revisions[0]).toMatchObject({ added: 0, changed: 1, removed: 0 })
  expect((await restore(3)).status).toBe(200)
  expect(await revision()).toBe(before + 1)
})

test("items that were renamed, also to each other's names, stand as the revision had them", async () => {
  const { ann, environment, path, names, idOf, restore, restoreItem } = await withList("A", "B", "C")
  await ann.put(`${path}/items`, [
    { id: idOf("A"), name: "B", value: "value of A" },
    { id: idOf("B"), name: "A", value: "value of B" },
    { id: idOf("C"), name: "Z", value: "value of C" },
  ])
  expect(await names()).toEqual(["B", "A", "Z"])
  await restore(4)
  expect((await ann.itemsOf(environment)).map(({ id, name, value }) => [id, name, value])).toEqual([
    [idOf("A"), "A", "value of A"],
    [idOf("B"), "B", "value of B"],
    [idOf("C"), "C", "value of C"],
  ])
  // The item that had the name is there under another one, so its place is taken.
  await ann.put(`/collectionItem/${idOf("A")}`, { name: "Q", value: "value of A" })
  await restoreItem("A", 4)
  expect(await names()).toEqual(["Q", "B", "C", "A"])
})

test("new items never get an id that another one may come back to", async () => {
  const { ann, environment, path, names, idOf, remove, restore } = await withList("A", "B")
  await remove(idOf("A"), idOf("B"))
  await restore(3)
  const added = await ann.item(environment, "N")
  expect(added.id).toBeGreaterThan(idOf("B") ?? 0)
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "X", value: "1" }])
  expect((await ann.itemsOf(environment))[0]?.id).toBeGreaterThan(added.id)
  // Several at once, in whatever order.
  await Promise.all([restore(3), restore(2), ann.post(`${path}/restore-item`, { name: "B", revision: 3 })])
  await restore(3)
  expect(await names()).toEqual(["A", "B"])
  expect((await ann.itemsOf(environment)).map(({ id }) => id)).toEqual([idOf("A"), idOf("B")])
})

testOnce("whatever has happened, a restore brings back each revision in its order", async () => {
  const { ann, environment, path, held, revision } = await historyWithRecord(40)
  const { key } = await ann.apiKey(environment)
  const texts = new Map<number, string>()
  for (const number of held.keys()) texts.set(number, (await ann.variables(key, `?revision=${number}`)).text)
  for (const [number, items] of [...held].toReversed()) {
    expect((await ann.post(`${path}/restore`, { revision: number })).status).toBe(200)
    const now = (await ann.itemsOf(environment)).map(({ name, value }) => [name, value])
    expect(now).toEqual(Object.entries(items))
    expect((await ann.variables(key)).text).toBe(texts.get(number))
    expect((await ann.variables(key, `?revision=${await revision()}`)).text).toBe(texts.get(number))
  }
})

testOnce("more names than one statement takes come back in their order", async () => {
  const { ann, environment, names, restore } = await withList()
  const list = Array.from({ length: 1_200 }, (_, n) => ({ name: `N${(n * 7) % 1_200}`, value: `${n}` }))
  await ann.post(`/subcollection/${environment.id}/bulk`, list)
  const then = await names()
  await ann.post(`/subcollection/${environment.id}/bulk`, list.slice(0, 3).toReversed())
  await ann.post(`/subcollection/${environment.id}/bulk`, list.toReversed())
  expect(await names()).not.toEqual(then)
  await restore(2)
  expect(await names()).toEqual(then)
})
