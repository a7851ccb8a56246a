import type { history, Item, OutputOf } from "@envkeep/contract"
import { historyWithRecord, withHistory } from "@envkeep/testing/history.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

type Changes = OutputOf<typeof history.changes>
type Page = OutputOf<typeof history.list>
type ItemPage = OutputOf<typeof history.ofItem>

test("every past revision is what the environment held then, however it was changed", async () => {
  const { ann, path, at, held } = await historyWithRecord(120)
  expect(held.size).toBeGreaterThan(60)
  const numbers = [...held.keys()]
  for (const number of numbers) expect(await at(number)).toEqual(held.get(number))

  // Any two differ in exactly the names that the record differs in.
  for (const [index, number] of numbers.entries()) {
    const since = numbers[(index * 7) % numbers.length] ?? 1
    const [earlier, later] = [Math.min(since, number), Math.max(since, number)]
    const { data } = (await ann.get<Changes>(`${path}/history/${number}/changes?since=${since}`)).body
    const [before, after] = [held.get(earlier) ?? {}, held.get(later) ?? {}]
    const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (one) => before[one] !== after[one],
    )
    expect(data.changes.map((one) => one.name).sort()).toEqual(differing.sort())
    for (const one of data.changes) {
      expect([one.before.value, one.after.value]).toEqual([before[one.name] ?? null, after[one.name] ?? null])
    }
  }
})

test("the list tells who did what, with counts and notes, newest first, 50 at a time", async () => {
  const { ann, environment, path } = await withHistory()
  for (let n = 0; n < 60; n++) await ann.item(environment, `N${n}`)
  await ann.post(`${path}/restore`, { revision: 11, note: "back to ten" })

  const first = (await ann.get<Page>(`${path}/history`)).body.data
  expect(first.revisions[0]).toMatchObject({
    number: 62,
    action: "environment.restore",
    note: "back to ten",
    added: 0,
    changed: 0,
    removed: 50,
    source: 11,
  })
  expect(first.revisions.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, n) => 62 - n))
  expect(first.isWhole).toBe(false)
  const rest = (await ann.get<Page>(`${path}/history?before=13`)).body.data
  expect(rest.revisions.map(({ number, action }) => [number, action]).slice(-2)).toEqual([
    [2, "item.add"],
    [1, "environment.create"],
  ])
  expect(rest.isWhole).toBe(true)
})

test("an item's history tells each value, and an erased one is gone for good", async () => {
  const { app, ann, environment, path, revision } = await withHistory()
  const item = await ann.item(environment, "TOKEN", "leaked")
  await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: "next" })
  const erase = (number: number) => ann.post(`${path}/erase`, { name: "TOKEN", revision: number })

  expect(await erase(3)).toMatchObject({
    status: 409,
    body: { msg: "This is the current value. Change or delete it first" },
  })
  expect(await erase(2)).toMatchObject({ status: 200, body: { msg: "Value erased successfully" } })
  expect((await erase(2)).status).toBe(404)
  await ann.delete(`/collectionItem/${item.id}`)

  const { versions } = (await ann.get<ItemPage>(`${path}/item-history?name=TOKEN`)).body.data
  expect(versions.map((one) => [one.revision, one.state, one.value])).toEqual([
    [4, "removed", null],
    [3, "set", "next"],
    [2, "erased", null],
  ])
  const rows = await app.db
    .selectFrom("item_version")
    .select(["sealed_value", "erased_by"])
    .where("revision", "=", 2)
    .execute()
  expect(rows).toEqual([{ sealed_value: null, erased_by: expect.any(String) }])
  const before = await revision()
  expect(await ann.post(`${path}/restore`, { revision: 2 })).toMatchObject({
    status: 410,
    body: { msg: "A value of this revision was erased and cannot be restored" },
  })
  expect(await revision()).toBe(before)
  expect((await ann.post(`${path}/restore-item`, { name: "TOKEN", revision: 3 })).status).toBe(200)
  expect((await ann.itemsOf(environment)).map((one) => one.value)).toEqual(["next"])
})

test("revisions that do not exist, of other people, or of nothing are refused in the envelope", async () => {
  const { app, ann, path } = await withHistory()
  const bob = await app.user()
  const statuses = async (who: Person, number: string) => (await who.get(`${path}/history/${number}`)).status
  for (const number of ["0", "-1", "1e3", "9007199254740993", "01", "x"]) expect(await statuses(ann, number)).toBe(400)
  expect(await statuses(ann, "2")).toBe(404)
  expect(await bob.get(`${path}/history/1`)).toMatchObject({ status: 404, body: { msg: "Environment not found" } })
  expect(await bob.get(`${path}/history`)).toMatchObject({ status: 404, body: { msg: "Environment not found" } })
  expect((await bob.post(`${path}/restore`, { revision: 1 })).status).toBe(404)
})

test("a damaged version is that version's failure only", async () => {
  const { app, ann, environment, path, at } = await withHistory()
  const item = await ann.item(environment, "A", "1")
  await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "2" })
  await app.db
    .updateTable("item_version")
    .set({ sealed_value: Buffer.from("damaged") })
    .where("revision", "=", 2)
    .execute()
  expect([await at(2), await at(3)]).toEqual([{ A: null }, { A: "2" }])
  expect(await ann.post(`${path}/restore`, { revision: 2 })).toMatchObject({ status: 422 })
})

test("a note goes with every write of items, and a restore made from an outdated state changes nothing", async () => {
  const { ann, environment, path, revision } = await withHistory()
  const made = await ann.post<Item>("/collectionItem", {
    name: "A",
    value: "1",
    subCollectionId: environment.id,
    note: "12",
  })
  const item = `/collectionItem/${made.body.data.id}`
  await ann.put(item, { name: "A", value: "2", note: "edited" })
  await ann.put(`${path}/items?note=many%20%26%20more`, [{ name: "B", value: "1" }])
  await ann.post(`/subcollection/${environment.id}/bulk?note=34&revision=4`, [{ name: "A", value: "3" }])
  await ann.delete(`${item}?note=56`)
  const { revisions } = (await ann.get<Page>(`${path}/history`)).body.data
  expect(revisions.map(({ note }) => note)).toEqual(["56", "34", "many & more", "edited", "12", ""])

  expect(await ann.post(`${path}/restore`, { revision: 4, current: 5 })).toMatchObject({
    status: 409,
    body: { msg: "The environment has changed since. Nothing was restored; check its history first" },
  })
  expect(await revision()).toBe(6)
  expect((await ann.post(`${path}/restore`, { revision: 4, current: 6 })).status).toBe(200)
})
