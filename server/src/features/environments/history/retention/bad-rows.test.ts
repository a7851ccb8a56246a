import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { failOnRow } from "@envkeep/testing/failing-row.ts"
import { expect, test, vi } from "vitest"
import { createBadRows } from "../../../../bounds/bad-rows.ts"
import { pruneHistory } from "./rules.ts"

/** Two environments of one account, each with so many revisions. The first one is older, and cannot be changed any more. */
async function withBadEnvironment(app: TestApp, { revisions, bytes }: { revisions: number; bytes: number }) {
  const ann = await app.user()
  const environments = [await ann.environment("bad"), await ann.environment("good")] as const
  for (const { id } of environments) {
    for (let n = 0; n < revisions; n++) {
      await ann.post(`/subcollection/${id}/bulk`, [{ name: "A", value: String(n).padEnd(bytes) }])
    }
  }
  const [bad, good] = environments
  await failOnRow(app.db, { table: "environment", column: "id", value: bad.id, on: "update" })
  return { ann, bad, good }
}

const firstKept = async ({ db }: TestApp, id: number) =>
  db.selectFrom("environment").select("history_from").where("id", "=", id).executeTakeFirstOrThrow()

test("a history that cannot be pruned stays alone, and costs later runs nothing", async () => {
  const executed: string[] = []
  const app = await testApp({ logQuery: ({ query }) => void executed.push(query.sql) })
  const { bad, good } = await withBadEnvironment(app, { revisions: 5, bytes: 1 })
  const reported = vi.fn()
  const badRows = createBadRows((row) => reported(row))
  const run = () => pruneHistory(app.core, { days: undefined, maxBytes: 0 }, undefined, badRows)

  expect(await run()).toMatchObject({ environments: 1 })
  expect(await firstKept(app, bad.id)).toEqual({ history_from: 1 })
  expect(await firstKept(app, good.id)).not.toEqual({ history_from: 1 })
  expect(reported.mock.calls).toEqual([[{ table: "environment", key: bad.id }]])
  executed.length = 0
  expect(await run()).toMatchObject({ environments: 0 })
  expect(executed.filter((sql) => sql.startsWith("update"))).toEqual([])
  expect(reported).toHaveBeenCalledTimes(1)
})

test("an account over its quota loses what can be pruned, although its oldest history cannot", async () => {
  const app = await testApp({ env: { ENVKEEP_QUOTA_MB: "1" } })
  const { ann, good } = await withBadEnvironment(app, { revisions: 12, bytes: 60_000 })
  const add = () => ann.post("/collectionItem", { name: "NEW", value: "1", subCollectionId: good.id })
  expect((await add()).status).toBe(400)
  expect(await pruneHistory(app.core, { days: undefined })).toMatchObject({ environments: 1 })
  expect((await add()).status).toBe(200)
})
