import { withHistory } from "@envkeep/testing/history.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"

// SQLite stores anything in any column, so a damaged file can say things that PostgreSQL cannot.

test("a time that no calendar has costs no more than this time", async () => {
  const { app, ann, environment, path } = await withHistory()
  const { collectionId } = environment
  const item = await ann.item(environment, "A", "1")
  await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "2" })
  await ann.post(`${path}/erase`, { name: "A", revision: 2 })
  const trashed = await ann.environment("trashed", collectionId)
  await ann.delete(`/subcollection/${trashed.id}`)
  const time = 9e15
  for (const [table, column] of [
    ["revision", "created_at"],
    ["item_version", "erased_at"],
    ["audit_event", "created_at"],
    ["collection", "changed_at"],
  ] as const) {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${time}
      where ${sql.ref(column)} is not null or ${sql.lit(table === "collection")}`.execute(app.db)
  }
  await app.db.updateTable("environment").set({ trashed_at: time }).where("id", "=", trashed.id).execute()

  for (const get of [
    `${path}/history`,
    `${path}/item-history?name=A`,
    `${path}/history/2`,
    `/collections/${collectionId}/activity`,
    `/collections/${collectionId}/activity/export`,
    `/collections/${collectionId}/trash`,
    `/collection/${collectionId}`,
  ]) {
    const { status, text } = await ann.get(get)
    expect([get, status]).toEqual([get, 200])
    expect(text).toContain("9999-12-31T23:59:59.999Z")
  }
})

test("a number in the place of a sealed value is a damaged value, which can be replaced, erased and deleted", async () => {
  const { app, ann, environment, path, at } = await withHistory()
  const item = await ann.item(environment, "A", "1")
  const other = await ann.item(environment, "B", "1")
  await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "2" })
  await sql`update item_version set sealed_value = 5 where name = 'A' and revision = 2`.execute(app.db)
  await sql`update item set sealed_value = 5`.execute(app.db)

  expect([await at(2), await at(4)]).toEqual([{ A: null }, { A: "2", B: "1" }])
  expect((await ann.get(`${path}/history/4/changes?since=2`)).body).toMatchObject({ error: false })
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual([null, null])
  expect((await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "3" })).status).toBe(200)
  expect((await ann.delete(`/collectionItem/${other.id}`)).status).toBe(200)
  expect((await ann.post(`${path}/erase`, { name: "A", revision: 2 })).status).toBe(200)
  const { sealed_bytes } = await app.db.selectFrom("environment").select("sealed_bytes").executeTakeFirstOrThrow()
  const { sealed_value } = await app.db.selectFrom("item").select("sealed_value").executeTakeFirstOrThrow()
  expect(sealed_bytes).toBe(sealed_value.length)
})
