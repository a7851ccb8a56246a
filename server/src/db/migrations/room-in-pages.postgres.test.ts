import { testApp } from "@envkeep/testing/app.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"

const changes = 200

interface Explained {
  "QUERY PLAN": { Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number } }[]
}

test("while a backup needs all versions of a row, they are on a few pages", async () => {
  const app = await testApp()
  const user = await app.user()
  // Of many lengths, so that most pages have a gap at their end in which a short row fits.
  const long = Array.from({ length: 2_000 }, (_, at) => ({ name: `LONG_${at}`, value: "x".repeat(200 + (at % 200)) }))
  for (let full = 0; full < 3; full++) {
    const { id } = await user.environment()
    expect(await user.post(`/subcollection/${id}/bulk`, long)).toMatchObject({ status: 200 })
  }
  // From here on, PostgreSQL knows these gaps.
  await sql`vacuum item`.execute(app.db)

  const { id } = await user.environment()
  await app.db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (backup) => {
      await backup.selectFrom("item").select("id").limit(1).execute()
      for (let at = 0; at < changes; at++) {
        const { status } = await user.post(`/subcollection/${id}/bulk`, [{ name: "SHORT", value: String(at) }])
        expect(status).toBe(200)
      }
      const { rows } = await sql<Explained>`explain (analyze, buffers, format json)
        select id from item where environment_id = ${id} and name = 'SHORT'`.execute(app.db)
      const plan = rows[0]?.["QUERY PLAN"][0]?.Plan
      const pages = Number(plan?.["Shared Hit Blocks"]) + Number(plan?.["Shared Read Blocks"])
      expect(pages).toBeGreaterThan(0)
      expect(pages).toBeLessThan(changes / 4)
    })
})
