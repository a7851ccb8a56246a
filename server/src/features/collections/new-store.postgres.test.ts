import { testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import type { CompiledQuery } from "kysely"
import { expect, test } from "vitest"

test("before a store has statistics, a list looks up its memberships once and not for each collection", async () => {
  const executed: CompiledQuery[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(query) })
  const ann = await app.user()
  await addCollections(app.db, ann, 300)
  executed.length = 0
  await ann.get("/collection")
  const lists = executed.filter(({ sql }) => /from "collection" where .*"collection_member"."user_id"/.test(sql))
  expect(lists.length).toBeGreaterThan(0)
  for (const list of lists) {
    const plan = await planOf(app, list)
    expect(plan).toContain("InitPlan")
    // No more memberships than a page has, or each collection is compared with all of them.
    expect(plan.split("InitPlan")[1]).toMatch(/Append.*\n +-> +Limit/)
    expect(plan).not.toMatch(/Semi Join|SubPlan \d|Nested Loop.*\n.*collection_pkey/)
  }
})
