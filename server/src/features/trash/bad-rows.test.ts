import { testApp } from "@envkeep/testing/app.ts"
import { failOnRow } from "@envkeep/testing/failing-row.ts"
import { expect, test, vi } from "vitest"
import { createBadRows } from "../../bounds/bad-rows.ts"
import { purgeExpiredTrash } from "./rules.ts"

const hourMs = 3_600_000

test("what cannot be deleted stays in the trash alone, costs later runs nothing, and goes once it is repaired", async () => {
  const executed: string[] = []
  const app = await testApp({ logQuery: ({ query }) => void executed.push(query.sql) })
  const ann = await app.user()
  const [bad, good, live] = [await ann.collection("bad"), await ann.collection("good"), await ann.collection("live")]
  const environmentIn = async ({ id: collectionId }: { id: number }, name: string) =>
    (await ann.post<{ id: number }>("/subcollection", { name, collectionId })).body.data.id
  const [first, second] = [await environmentIn(bad, "first"), await environmentIn(bad, "second")]
  const [third, fourth] = [await environmentIn(live, "third"), await environmentIn(live, "fourth")]
  for (const { id } of [bad, good]) await ann.delete(`/collection/${id}`)
  for (const id of [third, fourth]) await ann.delete(`/subcollection/${id}`)
  const age = (table: "collection" | "environment", id: number, trashed_at: number) =>
    app.db.updateTable(table).set({ trashed_at }).where("id", "=", id).execute()
  // What fails comes before the others.
  await age("collection", bad.id, 1)
  await age("collection", good.id, 2)
  await age("environment", third, 1)
  await age("environment", fourth, 2)
  const repairs = [
    await failOnRow(app.db, { table: "environment", column: "id", value: first }),
    await failOnRow(app.db, { table: "environment", column: "id", value: third }),
  ]

  let now = 0
  const reported = vi.fn()
  const badRows = createBadRows(
    (row) => reported(row),
    () => now,
  )
  const run = () => purgeExpiredTrash(app.core, 30, undefined, badRows)
  const environments = async () =>
    (await app.db.selectFrom("environment").select("id").orderBy("id").execute()).map(({ id }) => id)

  expect(await run()).toEqual({ collections: 1, environments: 1 })
  expect(await environments()).toEqual([first, third])
  expect(second).not.toBe(first)
  const rows = [
    { table: "collection", key: bad.id },
    { table: "environment", key: third },
  ]
  expect(reported.mock.calls.flat()).toEqual(rows)

  executed.length = 0
  expect(await run()).toEqual({ collections: 0, environments: 0 })
  expect(executed).toHaveLength(2)
  expect(reported).toHaveBeenCalledTimes(2)

  for (const repair of repairs) await repair()
  now += hourMs
  expect(await run()).toEqual({ collections: 1, environments: 1 })
  expect(await environments()).toEqual([])
})
