import { testApp } from "@envkeep/testing/app.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import type { CompiledQuery } from "kysely"
import { expect, test } from "vitest"

test("lists find what a user reaches in the indexes alone", async () => {
  const executed = new Map<string, CompiledQuery>()
  const app = await testApp({ logQuery: ({ query }) => executed.set(query.sql, query) })
  const ann = await app.user()
  executed.clear()
  for (const path of ["/collection", "/trash", "/api-key"]) await ann.get(path)
  await ann.post("/find", { text: "a" })
  const lists = [...executed.values()].filter(({ sql }) => /from "team_member" inner join "collection_team"/.test(sql))
  expect(lists.length).toBeGreaterThan(3)
  for (const statement of lists) {
    const plan = await planOf(app, statement)
    for (const table of ["collection_member", "team_member", "collection_team"]) {
      expect(plan).toContain(`SEARCH ${table} USING COVERING INDEX`)
    }
  }
})
