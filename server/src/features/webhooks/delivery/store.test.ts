import { limits } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { engine } from "@envkeep/testing/database.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import { type CompiledQuery, sql } from "kysely"
import { expect, test } from "vitest"
import { pruneDeliveries, waitingDeliveries } from "./prune.ts"
import { dueWebhooks } from "./store.ts"

test("what waits is found in the index of what waits, and what is finished in that of what is finished", async () => {
  const executed = new Map<string, CompiledQuery>()
  const app = await testApp({ logQuery: ({ query }) => executed.set(query.sql, query) })
  const ann = await app.user()
  const { id: collectionId } = await ann.collection()
  const settings = { url: "https://hooks.invalid/" }
  const webhook = (await ann.post<{ id: number }>(`/collections/${collectionId}/webhooks`, settings)).body.data
  // As many of both as there usually are. PostgreSQL chooses by how many there are.
  const now = Date.now()
  const row = { webhook_id: webhook.id, message_id: "msg_x", audit_event_id: 1, revision: null, created_at: now }
  const times = Array.from({ length: limits.keptDeliveries }, (_, at) => (at % 2 === 0 ? null : now))
  for (let at = 0; at < 10; at++) {
    await app.db
      .insertInto("webhook_delivery")
      .values(times.map((finished_at) => ({ ...row, finished_at })))
      .execute()
  }
  if (engine === "postgres") await sql`analyze webhook_delivery`.execute(app.db)

  const plansOf = async (work: () => Promise<unknown>) => {
    executed.clear()
    await work()
    const queries = [...executed.values()].filter((query) => /"?webhook_delivery"?/.test(query.sql))
    expect(queries).not.toEqual([])
    return Promise.all(queries.map(async (query) => `${query.sql}\n${await planOf(app, query)}`))
  }
  const indexesIn = (plan: string) => new Set(plan.match(/webhook_delivery_(waiting|finished|webhook)/g))
  for (const work of [() => dueWebhooks(app.db, now, 256), () => waitingDeliveries(app.core)]) {
    for (const plan of await plansOf(work)) expect([...indexesIn(plan)], plan).toEqual(["webhook_delivery_waiting"])
  }
  const pruning = await plansOf(() => pruneDeliveries(app.core, now))
  const planWith = (words: string) => pruning.find((plan) => plan.includes(words)) ?? ""
  expect([...indexesIn(planWith("with recursive"))]).toEqual(["webhook_delivery_waiting"])
  expect([...indexesIn(planWith(`"finished_at" <`))]).toEqual(["webhook_delivery_finished"])
})
