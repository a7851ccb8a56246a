import type { Conflicts, Environment, EnvironmentSummary, Item } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Answer } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

async function given() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, "TOKEN", "the first value")
  const loaded = (await ann.get<Environment>(`/subcollection/${environment.id}`)).body.data
  return { ...app, ann, environment, item, loaded }
}

const refused = (msg: string, ...conflicts: object[]) => ({
  status: 409,
  body: {
    error: true,
    msg,
    data: { conflicts: conflicts.map((one) => ({ by: "someone", at: expect.any(String), isDeleted: false, ...one })) },
  },
})

const itemChanged = "This item has changed since you loaded it. Nothing was saved; compare both values and try again"
const itemsChanged =
  "Some of these items have changed since you loaded them. Nothing was saved; compare the values and try again"

test("an edit made from an old revision is refused with who changed the item and when, but no value", async () => {
  const { ann, environment, item, loaded } = await given()
  const edit = (value: string, revision?: number) =>
    ann.put<Item & Conflicts>(`/collectionItem/${item.id}`, { name: "TOKEN", value, revision })
  expect(await edit("by a colleague", loaded.revision)).toMatchObject({ status: 200, body: { data: { revision: 3 } } })

  const mine = await edit("mine", loaded.revision)
  expect(mine).toMatchObject(refused(itemChanged, { id: item.id, name: "TOKEN", revision: 3 }))
  expect(mine.text).not.toContain("by a colleague")
  expect(await ann.itemsOf(environment)).toMatchObject([{ value: "by a colleague", revision: 3 }])

  // A third change between the choice and the next attempt is caught too.
  await edit("by a third")
  expect(await edit("mine", 3)).toMatchObject(refused(itemChanged, { revision: 4 }))
  expect(await edit("mine", 4)).toMatchObject({ status: 200, body: { data: { value: "mine", revision: 5 } } })
})

testOnce(
  "a change to another item, the same edit twice, and an edit without a revision are not in conflict",
  async () => {
    const { ann, environment, item, loaded } = await given()
    await ann.item(environment, "OTHER", "the other value")
    const edit = (value: string, revision?: number) =>
      ann.put<Item>(`/collectionItem/${item.id}`, { name: "TOKEN", value, revision })
    expect((await edit("mine", loaded.revision)).status).toBe(200)
    expect((await edit("mine", loaded.revision)).status).toBe(200)
    expect((await edit("of an old client")).status).toBe(200)
    expect((await ann.delete(`/collectionItem/${item.id}`)).status).toBe(200)
  },
)

testOnce("several edits are saved together or not at all if one of them is in conflict", async () => {
  const { ann, environment, item, loaded } = await given()
  const other = await ann.item(environment, "OTHER", "the other value")
  await ann.put(`/collectionItem/${item.id}`, { name: "RENAMED", value: "by a colleague" })
  const save = (revision: number) =>
    ann.put(`/environments/${environment.id}/items`, [
      { id: item.id, name: "TOKEN", value: "mine", revision },
      { id: other.id, name: "OTHER", value: "mine too", revision: other.revision },
      { name: "NEW", value: "a new one" },
    ])
  expect(await save(loaded.revision)).toMatchObject(
    refused(itemsChanged, { id: item.id, name: "RENAMED", revision: 4 }),
  )
  expect(await ann.itemsOf(environment)).toMatchObject([{ value: "by a colleague" }, { value: "the other value" }])
  expect((await save(4)).status).toBe(200)
})

testOnce("a deletion made from an old revision is refused, and an item that is gone is not found", async () => {
  const { ann, item, loaded } = await given()
  await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: "by a colleague" })
  const remove = (revision: number | string) => ann.delete(`/collectionItem/${item.id}?revision=${revision}`)
  expect(await remove(loaded.revision)).toMatchObject(
    refused("This item has changed since you loaded it. It was not deleted; check it and try again", { revision: 3 }),
  )
  for (const nonsense of ["0", "-1", "1e3", "9007199254740992", "x"]) expect((await remove(nonsense)).status).toBe(400)
  expect((await remove(3)).status).toBe(200)
  expect(await remove(3)).toMatchObject({ status: 404, body: { msg: "Item not found", data: null } })
  const edit = { name: "TOKEN", value: "mine", revision: 3 }
  expect(await ann.put(`/collectionItem/${item.id}`, edit)).toMatchObject({ status: 404 })
})

test("a list made from an old revision is refused with the names that changed since, also deleted ones", async () => {
  const { ann, environment, item, loaded } = await given()
  const other = await ann.item(environment, "OTHER", "the other value")
  await ann.delete(`/collectionItem/${item.id}`)
  const answer = await ann.post(`/subcollection/${environment.id}/bulk?revision=${loaded.revision}`, [
    { name: "TOKEN", value: "mine" },
  ])
  expect(answer).toMatchObject(
    refused(
      "The environment has changed since you loaded it. Nothing was saved; check it and try again",
      { id: null, name: "TOKEN", revision: 4, isDeleted: true },
      { id: other.id, name: "OTHER", revision: 3 },
    ),
  )
})

testOnce("a new name is refused only if the environment was renamed since", async () => {
  const { ann, environment, loaded } = await given()
  const rename = (name: string, revision: number) =>
    ann.put<EnvironmentSummary>(`/subcollection/${environment.id}`, { name, revision })
  await ann.item(environment, "OTHER", "the other value")
  expect((await rename("renamed by bob", loaded.revision)).status).toBe(200)
  expect(await rename("mine", loaded.revision)).toMatchObject(
    refused("The environment was renamed after you loaded it. Nothing was saved; check its name and try again", {
      id: environment.id,
      name: "renamed by bob",
      revision: 4,
    }),
  )
  expect((await rename("mine", 4)).status).toBe(200)
})

test("of many writers at once that saw the same revision, one succeeds and the others learn of it", async () => {
  const { ann, environment, item, loaded } = await given()
  const bob = { ...ann }
  const answers: Answer<unknown>[] = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      n % 2 === 0
        ? ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: `value ${n}`, revision: loaded.revision })
        : bob.put(`/environments/${environment.id}/items`, [
            { id: item.id, name: "TOKEN", value: `value ${n}`, revision: loaded.revision },
          ]),
    ),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
  const [stored] = await ann.itemsOf(environment)
  expect(stored).toMatchObject({ value: `value ${statuses.indexOf(200)}`, revision: 3 })
})
