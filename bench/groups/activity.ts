import { openDatabase } from "@envkeep/server/db/open.ts"
import { sql } from "kysely"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times, whole } from "../report.ts"
import { type Stock, stock } from "../stock.ts"
import { newStoreLocation, type StoreLocation } from "../store-location.ts"
import { byTurns, median, medianOf, medianRatio } from "../turns.ts"

type Engine = (typeof engines)[number]

export const activity: Group = {
  name: "activity",
  async run(bench) {
    const section: Section = {
      title: "Activity as events add up",
      how: "A page of 50 events of one collection, over one connection, from sending to the last byte: the newest, and one from the middle of the table.",
      columns: ["", "among 100", "among many", "times"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, section)
    return [section]
  },
}

async function measure(bench: Bench, engine: Engine, section: Section): Promise<void> {
  const [few, many] = bench.options.quick ? [100, 20_000] : [100, 1_000_000]
  const [small, large] = [await reader(bench, engine, few), await reader(bench, engine, many)]
  for (const [what, query] of [
    ["newest page", () => ""],
    ["page in the middle", (middle: number) => `?before=${middle}`],
  ] as const) {
    const where = `${engineNames[engine]}, ${what}, ${whole(many)} events`
    bench.say(`  ${where}`)
    const page = ({ read, middle }: typeof small) => medianOf(bench.options.calls, () => read(query(middle)))
    const results = await byTurns(bench.options.turns, { small: () => page(small), large: () => page(large) })
    const ratio = medianRatio(results.large, results.small)
    section.rows.push([where, milliseconds(median(results.small)), milliseconds(median(results.large)), times(ratio)])
    if (many === 1_000_000) section.held.push(hold("activity", where, ratio))
  }
  for (const { stop } of [small, large]) await stop()
}

async function reader(bench: Bench, engine: Engine, events: number) {
  bench.say(`  ${engineNames[engine]}: storing ${whole(events)} events`)
  const location = await newStoreLocation(bench, engine)
  const empty = await startProduct(bench, location)
  const stocked = await stock(empty, 1)
  await empty.stop()
  const middle = await addEvents(location, stocked, events)

  const product = await startProduct(bench, location)
  const line = await openLine(product.port)
  const path = `/api/collections/${stocked.collectionId}/activity`
  return {
    middle,
    read: async (query: string) =>
      (await line.ask(requestText({ path: `${path}${query}`, headers: { cookie: stocked.cookie } }), 200)).ms,
    async stop() {
      line.close()
      await product.stop()
    },
  }
}

/** Copies of one event, with positions, as if they were chained. Returns an id with at least 50 events before it. */
async function addEvents(location: StoreLocation, { collectionId }: Stock, events: number): Promise<number> {
  const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  const columns = sql.raw(
    "created_at, action, actor, actor_id, actor_name, account_id, account_name, address, client, collection_id, collection_name, environment_id, environment_name, api_key_id, api_key_name, details, mac",
  )
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(events)})
    insert into audit_event (${columns}, position)
    select ${columns}, 1000 + n.i from audit_event cross join n
    where collection_id = ${collectionId} and action = 'items.save'`.execute(db)
  await (location.databaseUrl !== undefined ? sql`vacuum analyze` : sql`pragma wal_checkpoint(truncate)`).execute(db)
  const { newest } = await db
    .selectFrom("audit_event")
    .select((eb) => eb.fn.max("id").as("newest"))
    .executeTakeFirstOrThrow()
  await db.destroy()
  return Math.max(60, Math.round(newest / 2))
}
