import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { failOnRow } from "@envkeep/testing/failing-row.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { CompiledQuery } from "kysely"
import { expect, onTestFinished, test, vi } from "vitest"
import { createBadRows, maxBadRows } from "../bounds/bad-rows.ts"
import { purge } from "../bounds/expiring-rows.ts"
import { purgeOf } from "./purges.ts"

const hourMs = 3_600_000

const expired = (names: readonly string[]) => names.map((bucket) => ({ bucket, count: 1, resets_at: 1 }))
const names = (count: number) => Array.from({ length: count }, (_, n) => `expired ${n}`)

const bucketsIn = async ({ db }: TestApp) =>
  (await db.selectFrom("attempt").select("bucket").where("resets_at", "=", 1).execute()).map(({ bucket }) => bucket)

test("a row that cannot be deleted stays alone, costs later runs nothing, and is tried again after an hour", async () => {
  let now = 0
  const executed: CompiledQuery[] = []
  const app = await testApp({ logQuery: ({ query }) => void executed.push(query) })
  const reported = vi.fn()
  const badRows = createBadRows(reported, () => now)
  const run = async (): Promise<number> => {
    executed.length = 0
    return purge(app.core, purgeOf("attempt"), { badRows })
  }
  await app.db
    .insertInto("attempt")
    .values(expired(names(1_200)))
    .execute()
  const repair = await failOnRow(app.db, { table: "attempt", column: "bucket", value: "expired 700" })

  expect(await run()).toBe(1_199)
  expect(executed.length).toBeLessThan(50)
  expect(await bucketsIn(app)).toEqual(["expired 700"])
  expect(reported.mock.calls).toEqual([[{ table: "attempt", key: "expired 700" }, expect.any(Error)]])

  await app.db
    .insertInto("attempt")
    .values(expired(["later"]))
    .execute()
  expect(await run()).toBe(1)
  expect([executed.length, reported.mock.calls.length]).toEqual([1, 1])

  now += hourMs
  expect(await run()).toBe(0)
  expect(reported).toHaveBeenCalledTimes(2)
  await repair()
  now += hourMs
  expect(await run()).toBe(1)
  expect(await bucketsIn(app)).toEqual([])
})

testOnce("if very many rows fail, the job fails, and the next run goes on behind them", async () => {
  const app = await testApp()
  const badRows = createBadRows()
  const fails = () => Promise.reject(new Error("not this one"))
  for (let key = 0; key < maxBadRows; key++) expect(await badRows.attempt("item", key, fails)).toBeUndefined()
  await expect(badRows.attempt("item", maxBadRows, fails)).rejects.toThrow("not this one")
  expect(await badRows.attempt("item", maxBadRows + 1, async () => "done")).toBe("done")
  await app.db
    .insertInto("attempt")
    .values(expired(["expired"]))
    .execute()
  expect(await purge(app.core, purgeOf("attempt"), { badRows })).toBe(1)
})

testOnce("an outage is no fault of a row: the job fails, and nothing is left out", async () => {
  const badRows = createBadRows()
  const away = Object.assign(new Error("away"), { code: "ECONNREFUSED" })
  await expect(badRows.attempt("item", 1, () => Promise.reject(away))).rejects.toThrow("away")
  expect(await badRows.attempt("item", 1, async () => "done")).toBe("done")
})

testOnce("a row that is left out is logged with its table and id, and counted", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const app = await testApp()
  const ann = await app.user()
  const collection = await ann.collection()
  const made = await ann.post<{ id: number }>(`/collections/${collection.id}/invitations`, { role: "viewer" })
  const { id } = made.body.data
  await app.db.updateTable("invitation").set({ expires_at: 1 }).execute()
  await failOnRow(app.db, { table: "invitation", column: "id", value: id })
  await failOnRow(app.db, { table: "attempt", column: "bucket", value: "expired 0" })
  await app.db
    .insertInto("attempt")
    .values(expired(names(2)))
    .execute()

  vi.advanceTimersByTime(hourMs)
  await vi.waitFor(() => expect([...app.core.counts.skippedRows]).toHaveLength(2), eventually)
  await vi.waitFor(async () => expect(await bucketsIn(app)).toEqual(["expired 0"]), eventually)
  expect(Object.fromEntries(app.core.counts.skippedRows)).toEqual({ invitation: 1, attempt: 1 })
  const lines = app.log.filter((line) => line.includes("leaves out a row"))
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { job: "purge expired invitations", table: "invitation", id },
    { job: "purge expired attempts", table: "attempt" },
  ])
  // A bucket says something of who tried to log in.
  expect(lines.join()).not.toContain("expired 0")
})
