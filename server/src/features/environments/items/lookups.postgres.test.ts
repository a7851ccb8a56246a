import { testApp } from "@envkeep/testing/app.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import pg from "pg"
import { expect, onTestFinished, test } from "vitest"

const saves = 100

interface Counted {
  relname: string
  lookups: number
  changes: number
}

test("a save looks up what it is about as rarely as it can", async () => {
  // During a backup, PostgreSQL keeps all versions of a row that changes, and each lookup goes through them.
  const app = await testApp()
  const user = await app.user()
  const { id } = await user.environment()
  for (let at = 0; at < saves; at++) {
    const { status } = await user.post(`/subcollection/${id}/bulk`, [{ name: "A", value: String(at).padStart(4, "0") }])
    expect(status).toBe(200)
  }
  const client = new pg.Client(app.location.databaseUrl)
  await client.connect()
  onTestFinished(() => client.end())
  // A connection has told all that it did when it is closed.
  await app.close()
  const counted = async (table: string) => {
    const { rows } = await client.query<Counted>(
      "select idx_scan::int as lookups, n_tup_upd::int as changes from pg_stat_user_tables where relname = $1",
      [table],
    )
    return rows[0]
  }
  for (const table of ["user", "environment"]) {
    await expect.poll(async () => (await counted(table))?.changes, eventually).toBeGreaterThanOrEqual(saves)
  }
  const perSave = async (table: string) => Math.round(((await counted(table))?.lookups ?? 0) / saves)
  // By the session, and to count what the account stores.
  expect(await perSave("user")).toBe(2)
  // To lock it, for what inherits from it, for what refers to it (its versions and revisions), and to raise its revision.
  expect(await perSave("environment")).toBe(5)
})
