import type { history, Item, OutputOf } from "@envkeep/contract"
import { historyWithRecord, withHistory } from "@envkeep/testing/history.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

type Changes = OutputOf<typeof history.changes>
type Page = OutputOf<typeof history.list>
type ItemPage = OutputOf<typeof history.ofItem>

testOnce("every past revision is what the environment held then, however it was changed", async () => {
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

test("the list names what a revision changed, unless it is more than a few names", async () => {
  const { ann, environment, path } = await withHistory()
  const bulk = (names: string[]) =>
    ann.post(
      `/subcollection/${environment.id}/bulk`,
      names.map((name) => ({ name, value: "x" })),
    )
  await bulk(["A", "B", "C"])
  const [first] = await ann.itemsOf(environment)
  await ann.put(`/collectionItem/${first?.id}`, { name: "Z", value: "x" })
  // Another value takes over a name in the revision that frees it.
  await ann.put(`/environments/${environment.id}/items`, [
    { id: first?.id, name: "Y", value: "x" },
    { name: "Z", value: "new" },
  ])
  await bulk(["C", "D", "E"])
  await bulk(["Q"])
  const { revisions } = (await ann.get<Page>(`${path}/history`)).body.data
  const plain = (...names: string[]) => names.map((name) => ({ name, previousName: null }))
  expect(revisions.map(({ names }) => names)).toEqual([
    [],
    [],
    [{ name: "Y", previousName: "Z" }, ...plain("Z")],
    [{ name: "Z", previousName: "A" }],
    plain("A", "B", "C"),
    [],
  ])
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
  const told = await ann.get<OutputOf<typeof history.ofName>>(`${path}/name-history?name=TOKEN&before=4`)
  expect(told.body.data).toMatchObject({ changes: [{ revision: 3, isRemoved: false }, { revision: 2 }], isWhole: true })
  expect(Object.keys(told.body.data.changes[0] ?? {})).not.toContain("value")
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

testOnce("changes of more names than one batch are told completely, and so is each revision", async () => {
  const { ann, environment, path, at } = await withHistory()
  const names = Array.from({ length: 1_100 }, (_, n) => `NAME_${String(n).padStart(4, "0")}`)
  const save = (value: string, saved: string[]) =>
    ann.post(
      `/subcollection/${environment.id}/bulk`,
      saved.map((name) => ({ name, value })),
    )
  await save("one", names)
  await save("two", names)
  await save("two", names.slice(1))
  await ann.item(environment, "LAST", "new")

  type Changes = OutputOf<typeof history.changes>
  const changes = async (query: string) => (await ann.get<Changes>(`${path}/history/${query}`)).body.data.changes
  const all = await changes("5/changes?since=2")
  expect(all.map(({ name }) => name)).toEqual(["LAST", ...names])
  const told = all.map(({ before, after }) => [before.value, after.value])
  expect(told).toEqual([[null, "new"], ["one", null], ...names.slice(1).map(() => ["one", "two"])])
  expect(await changes("4/changes")).toMatchObject([{ name: names[0], after: { state: "removed" } }])
  expect(await at(2)).toEqual(Object.fromEntries(names.map((name) => [name, "one"])))
})

testOnce("revisions that do not exist, of other people, or of nothing are refused in the envelope", async () => {
  const { app, ann, path } = await withHistory()
  const bob = await app.user()
  const statuses = async (who: Person, number: string) => (await who.get(`${path}/history/${number}`)).status
  for (const number of ["0", "-1", "1e3", "9007199254740993", "01", "x"]) expect(await statuses(ann, number)).toBe(400)
  expect(await statuses(ann, "2")).toBe(404)
  expect(await bob.get(`${path}/history/1`)).toMatchObject({ status: 404, body: { msg: "Environment not found" } })
  expect(await bob.get(`${path}/history`)).toMatchObject({ status: 404, body: { msg: "Environment not found" } })
  expect((await bob.post(`${path}/restore`, { revision: 1 })).status).toBe(404)
})

testOnce("a damaged version is that version's failure only", async () => {
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

testOnce(
  "a note goes with every write of items, and a restore made from an outdated state changes nothing",
  async () => {
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
    // Half a surrogate pair, and no UTF-8 at all. What is not ours is ignored.
    for (const note of ["%ED%A0%80", "a%FF"]) {
      const refused = { status: 400, body: { msg: "The request could not be understood" } }
      expect(await ann.delete(`${item}?note=${note}`)).toMatchObject(refused)
      expect(await ann.put(`${path}/items?from=here&n%6Fte=${note}`, [])).toMatchObject(refused)
    }
    expect((await ann.delete(`${item}?from=%FF&note=56`)).status).toBe(200)
    const { revisions } = (await ann.get<Page>(`${path}/history`)).body.data
    expect(revisions.map(({ note }) => note)).toEqual(["56", "34", "many & more", "edited", "12", ""])

    const byAnn = { revision: 6, by: "someone", at: expect.any(String) }
    expect(await ann.post(`${path}/restore`, { revision: 4, current: 5 })).toMatchObject({
      status: 409,
      body: {
        msg: "The environment has changed since. Nothing was restored; check its history first",
        data: { conflicts: [{ id: null, name: "A", ...byAnn, isDeleted: true }] },
      },
    })
    expect(await ann.post(`${path}/restore-item`, { name: "A", revision: 3, current: 5 })).toMatchObject({
      status: 409,
      body: {
        msg: "This item has changed since you loaded it. Nothing was saved; compare both values and try again",
        data: { conflicts: [{ id: null, name: "A", ...byAnn, isDeleted: true }] },
      },
    })
    expect(await revision()).toBe(6)
    expect((await ann.post(`${path}/restore-item`, { name: "A", revision: 3, current: 6 })).status).toBe(200)
    expect((await ann.post(`${path}/restore`, { revision: 4, current: 7 })).status).toBe(200)
  },
)
