import type { Environment, Item } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

async function threeItems() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const items: [Item, Item, Item] = [
    await ann.item(environment, "ONE", "first value"),
    await ann.item(environment, "TWO", "second value"),
    await ann.item(environment, "THREE", "third value"),
  ]
  const save = (list: unknown) => ann.put<Item[]>(`/environments/${environment.id}/items`, list)
  const stored = async () => (await ann.itemsOf(environment)).map(({ id, name, value }) => [id, name, value])
  const revision = async () => (await ann.get<Environment>(`/subcollection/${environment.id}`)).body.data.revision
  return { app, ann, environment, items, save, stored, revision }
}

test("edited, renamed and new items are saved in one revision, and the others stay as they are", async () => {
  const { environment, items, save, stored, revision } = await threeItems()
  const [one, two, three] = items
  const before = await revision()

  const answer = await save([
    { id: one.id, name: " ONE ", value: "changed" },
    { id: two.id, name: "RENAMED", value: "second value" },
    { name: "TWO", value: "" },
  ])

  const added = answer.body.data[2]?.id
  expect(answer).toMatchObject({ status: 200, body: { msg: "Items saved successfully" } })
  expect(answer.body.data[1]).toEqual({ ...two, name: "RENAMED", subCollectionId: environment.id, revision: 5 })
  expect(await stored()).toEqual([
    [one.id, "ONE", "changed"],
    [two.id, "RENAMED", "second value"],
    [three.id, "THREE", "third value"],
    [added, "TWO", ""],
  ])
  expect(await revision()).toBe(before + 1)

  expect((await save([{ id: one.id, name: "ONE", value: "changed" }])).status).toBe(200)
  expect(await revision()).toBe(before + 1)
})

test("items can swap their names", async () => {
  const { items, save, stored } = await threeItems()
  const [one, two, three] = items
  const answer = await save([
    { id: one.id, name: "TWO", value: "first value" },
    { id: two.id, name: "THREE", value: "second value" },
    { id: three.id, name: "ONE", value: "third value" },
  ])
  expect(answer.status).toBe(200)
  expect(await stored()).toEqual([
    [one.id, "TWO", "first value"],
    [two.id, "THREE", "second value"],
    [three.id, "ONE", "third value"],
  ])
})

test("a list with one refused item saves nothing", async () => {
  const { ann, items, save, stored, revision } = await threeItems()
  const [one, two] = items
  const elsewhere = await ann.item(await ann.environment("other"), "ELSEWHERE", "another value")
  const before = [await stored(), await revision()]
  const edit = { id: one.id, name: "ONE", value: "changed" }
  const taken = "This environment already has an item with that name"
  const refusals: [unknown[], number, string][] = [
    [[edit, { name: "THREE", value: "x" }], 409, taken],
    [[edit, { id: two.id, name: "THREE", value: "x" }], 409, taken],
    [[edit, { id: elsewhere.id, name: "NEW", value: "x" }], 404, "Item not found"],
    [[edit, { id: two.id, name: " ", value: "x" }], 400, "Item 2: Name is required"],
    [[edit, { name: " ONE ", value: "x" }], 400, "Item 2: Two items have the same name"],
    [[edit, { ...edit, name: "OTHER" }], 400, "Item 2: This item is in the list twice"],
    [[], 400, "No data found"],
    [
      Array.from({ length: 1_001 }, (_, n) => ({ name: `N${n}`, value: "" })),
      400,
      "At most 1,000 items can be saved together. Please import longer lists",
    ],
  ]
  for (const [list, status, msg] of refusals) {
    expect(await save(list)).toMatchObject({ status, body: { msg, data: null } })
  }
  expect([await stored(), await revision()]).toEqual(before)
})

testOnce("a damaged item is saved with the others, and the totals are right afterwards", async () => {
  const { app, items, save, stored } = await threeItems()
  const [one, two] = items
  await app.db
    .updateTable("item")
    .set({ sealed_value: new Uint8Array(500) })
    .where("name", "=", "TWO")
    .execute()
  const answer = await save([
    { id: one.id, name: "ONE", value: "changed" },
    { id: two.id, name: "TWO", value: "found again" },
  ])
  expect(answer.status).toBe(200)
  expect((await stored()).map(([, , value]) => value)).toEqual(["changed", "found again", "third value"])
  const rows = await app.db.selectFrom("item").select("sealed_value").execute()
  const { sealed_bytes: total } = await app.db
    .selectFrom("environment")
    .select("sealed_bytes")
    .executeTakeFirstOrThrow()
  expect(Number(total)).toBe(rows.reduce((sum, row) => sum + row.sealed_value.length, 0))
})
