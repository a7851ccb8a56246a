import { testApp } from "@envkeep/testing/app.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import type { CompiledQuery } from "kysely"
import { expect, test } from "vitest"

test("what is in the trash is counted in its index alone", async () => {
  const executed: CompiledQuery[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(query) })
  const ann = await app.user()
  await ann.environment()
  for (const table of ["collection", "environment"]) {
    const counts = executed.filter(
      ({ sql }) => sql.startsWith(`select "id" from "${table}"`) && sql.includes('"trashed_at" is not null'),
    )
    expect(counts).toHaveLength(1)
    for (const count of counts) {
      expect(await planOf(app, count)).toContain(`SEARCH ${table} USING COVERING INDEX ${table}_trashed `)
    }
  }
})
