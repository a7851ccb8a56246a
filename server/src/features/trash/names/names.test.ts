import { limits } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

const restore = async (person: Person, kind: "collections" | "environments", { id }: { id: number }) =>
  (await person.post<{ name: string }>(`/trash/${kind}/${id}/restore`)).body.data.name

/** `a`, `a (2)`, `a (3)` and so on. */
const numberedNames = (count: number) => Array.from({ length: count }, (_, n) => (n === 0 ? "a" : `a (${n + 1})`))

/** What a change of collections begins with. */
const isLimit = (sql: string) => sql.startsWith('select "id" from "collection" where "owner_id"')
const isLook = (sql: string) => /"name" (= any\(|in \(select value from json_each)/.test(sql)

test("a collection is restored with one look for a free name, before other writers have to wait", async () => {
  const executed: string[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(query.sql) })
  const ann = await app.user()
  const trashed = [await ann.collection("a"), await ann.collection("a"), await ann.collection("a")]
  for (const { id } of trashed) await ann.delete(`/collection/${id}`)
  const count = limits.environmentsPerCollection + 100
  const ids = await addCollections(app.db, ann, count)
  for (const [index, name] of numberedNames(count).entries()) {
    const id = ids[index] ?? 0
    await app.db.updateTable("collection").set({ name }).where("id", "=", id).execute()
  }
  const restoreNext = async () => {
    executed.length = 0
    const name = await restore(ann, "collections", trashed.pop() ?? { id: 0 })
    expect(executed.filter((sql) => isLook(sql) || isLimit(sql)).map(isLook)).toEqual([true, false])
    return name
  }
  const free = (number: number) =>
    app.db.updateTable("collection").set({ name: "other" }).where("name", "=", `a (${number})`).execute()

  expect(await restoreNext()).toMatch(/^a \(\d{13}\)$/)
  await free(700)
  expect(await restoreNext()).toBe("a (700)")
  await free(2)
  expect(await restoreNext()).toBe("a (2)")
})

testOnce(
  "a collection's last environment is restored with one look for a free name, however many are taken",
  async () => {
    const executed: string[] = []
    const app = await testApp({ logQuery: ({ query }) => executed.push(query.sql) })
    const ann = await app.user()
    const environment = await ann.environment("a")
    await ann.delete(`/subcollection/${environment.id}`)
    const empty = { collection_id: environment.collectionId, revision: 1, item_count: 0, sealed_bytes: 0 }
    const rows = numberedNames(limits.environmentsPerCollection - 1).map((name) => ({ ...empty, name }))
    await app.db.insertInto("environment").values(rows).execute()
    executed.length = 0
    expect(await restore(ann, "environments", environment)).toBe("a (1000)")
    expect(executed.filter(isLook)).toHaveLength(1)
  },
)
