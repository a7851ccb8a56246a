import type { Db } from "@envkeep/server/db/schema.ts"
import { sql } from "kysely"
import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { addTimes } from "../compare-times.ts"
import { engineNames } from "../engines.ts"
import { whole } from "../report.ts"
import { makeStore, serve } from "../served.ts"

const [few, many] = [100, 1_000_000]

const head = {
  title: "Activity as events add up",
  how: "A page of 50 events of one collection, over one connection, from sending to the last byte: the newest, and one from the middle of the table.",
  columns: ["", "among 100", "among many", "times"],
}

export const activity = onEachEngine("activity", head, async (bench, engine, section) => {
  const count = bench.options.quick ? 20_000 : many
  const withEvents = async (events: number) => {
    bench.say(`    storing ${whole(events)} events`)
    let middle = 0
    const store = await makeStore(bench, engine, {
      variables: 1,
      fill: async (db, { collectionId }) => {
        middle = await addEvents(db, collectionId, events)
      },
    })
    const { get, stop } = await serve(bench, store)
    const path = `/collections/${store.stocked.collectionId}/activity`
    return { newest: () => get(path), inTheMiddle: () => get(`${path}?before=${middle}`), stop }
  }
  const [small, large] = [await withEvents(few), await withEvents(count)]

  for (const [what, page] of [
    ["newest page", "newest"],
    ["page in the middle", "inTheMiddle"],
  ] as const) {
    const where = `${engineNames[engine]}, ${what}, ${whole(count)} events`
    const ratio = await addTimes(section, where, { ...bench.options, first: small[page], second: large[page] })
    // The short form stores too little to check the promise.
    if (count === many) section.held.push(hold("activity", where, ratio))
  }
  for (const { stop } of [small, large]) await stop()
})

/** Copies of one event, with positions, as if they were chained. Returns an id with at least 50 events before it. */
async function addEvents(db: Db, collectionId: number, events: number): Promise<number> {
  const columns = sql.raw(
    "created_at, action, actor, actor_id, actor_name, account_id, account_name, address, client, collection_id, collection_name, environment_id, environment_name, api_key_id, api_key_name, details, mac",
  )
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(events)})
    insert into audit_event (${columns}, position)
    select ${columns}, 1000 + n.i from audit_event cross join n
    where collection_id = ${collectionId} and action = 'items.save'`.execute(db)
  const { newest } = await db
    .selectFrom("audit_event")
    .select((eb) => eb.fn.max("id").as("newest"))
    .executeTakeFirstOrThrow()
  return Math.max(60, Math.round(newest / 2))
}
