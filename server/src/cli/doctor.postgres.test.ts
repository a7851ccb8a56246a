import { testApp } from "@envkeep/testing/app.ts"
import { callCommand } from "@envkeep/testing/commands.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import type { CompiledQuery } from "kysely"
import { expect, test } from "vitest"
import { doctorCommand } from "./doctor.ts"

test("the clock is compared with the largest tables by an index", async () => {
  const app = await testApp()
  const ann = await app.user()
  await ann.item(await ann.environment())
  const queries: CompiledQuery[] = []
  await callCommand(doctorCommand, app.location, {
    logQuery: ({ query }) => {
      if (/max\(.*"(revision|item_version|audit_event)"/s.test(query.sql)) queries.push(query)
    },
  })
  expect(queries.length).toBeGreaterThan(2)
  for (const query of queries) expect(await planOf(app, query)).not.toContain("Seq Scan")
})
