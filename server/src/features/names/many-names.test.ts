import { type About, limits, sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { countTurns } from "@envkeep/testing/count-turns.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { makeEveryStepLong } from "@envkeep/testing/slow-steps.ts"
import type { CompiledQuery } from "kysely"
import { expect, test } from "vitest"

// Many names that are described at once.

/** With the statements that write descriptions, and those that read them. */
async function described(env = {}) {
  const written: CompiledQuery[] = []
  const read: CompiledQuery[] = []
  const app = await testApp({
    env,
    logQuery: ({ query }) => {
      if (query.sql.startsWith('insert into "described_name"')) written.push(query)
      if (/^select .* from "described_name"/.test(query.sql)) read.push(query)
    },
  })
  const ann = await app.user()
  const { id } = await ann.collection()
  return { app, ann, written, read, id, path: `/collections/${id}/names` }
}

const count = limits.namesPerSave
const many = (description: string) => Array.from({ length: count }, (_, at) => ({ name: `N${at}`, description }))

test("what a collection has no room for is refused before a description is written", async () => {
  const { app, ann, written, id, path } = await described()
  await ann.post(path, many("short"))
  expect(written.length).toBeGreaterThan(0)
  const set = (values: { described_count?: number; described_bytes?: number }) =>
    app.db.updateTable("collection").set(values).where("id", "=", id).execute()

  written.length = 0
  await set({ described_bytes: limits.describedBytes - count })
  const tooLarge = { status: 400, body: { msg: sentences.descriptionsTooLarge } }
  expect(await ann.post(path, many("longer"))).toMatchObject({ status: 200 })
  expect(written.length).toBeGreaterThan(0)
  written.length = 0
  expect(await ann.post(path, many("longest"))).toMatchObject(tooLarge)
  await set({ described_count: limits.describedNames, described_bytes: 0 })
  const another = [...many("longest").slice(1), { name: "ANOTHER" }]
  expect(await ann.post(path, another)).toMatchObject({ status: 400, body: { msg: sentences.tooManyDescribedNames } })
  expect(written).toEqual([])
  expect((await ann.get<About[]>(path)).body.data.every(({ description }) => description === "longer")).toBe(true)
})

testOnce("descriptions beyond the quota are refused before one is written", async () => {
  const { ann, written, path } = await described({ ENVKEEP_QUOTA_MB: "1" })
  const refused = { status: 400, body: { msg: sentences.quotaExceeded(1_000_000) } }
  expect(await ann.post(path, many("x".repeat(500)))).toMatchObject(refused)
  expect(written).toEqual([])
  expect(await ann.post(path, many(""))).toMatchObject({ status: 200 })
})

testOnce(
  "the thread stays free while descriptions are compared with what is stored, and while they are copied",
  async () => {
    const { ann, id, path } = await described()
    await ann.post(path, many("short"))
    makeEveryStepLong()
    const turns = countTurns()
    const turnsOf = async (send: () => Promise<{ status: number }>) => {
      const before = turns()
      expect((await send()).status).toBeLessThan(300)
      return turns() - before
    }
    // A turn for the check of each name, for its stored description, and for the comparison.
    expect(await turnsOf(() => ann.post(path, many("short")))).toBeGreaterThanOrEqual(3 * count)
    // A turn to read each of them, and to count its bytes.
    const copy = { name: "copy", what: "names" }
    expect(await turnsOf(() => ann.post(`/collections/${id}/duplicate`, copy))).toBeGreaterThanOrEqual(2 * count)
  },
)

testOnce("no statement of a change reads or writes more descriptions than are a short piece of work", async () => {
  const { ann, written, read, path } = await described()
  await ann.post(path, many("short"))
  const columns = 8
  expect(read).toHaveLength(count / 25)
  expect(written).toHaveLength(count / 25)
  for (const { parameters } of written) expect(parameters).toHaveLength(25 * columns)
})
