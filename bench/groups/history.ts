import type { Db } from "@envkeep/server/db/schema.ts"
import { sql } from "kysely"
import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { addTimes } from "../compare-times.ts"
import { engineNames } from "../engines.ts"
import { whole } from "../report.ts"
import { makeStore, serve } from "../served.ts"

type Once = () => Promise<number>

const [few, many] = [100, 10_000]

const head = {
  title: "History",
  how: `The first page of an environment's history, 50 revisions, over one connection, from sending to the last byte: of an environment with ${whole(few)} revisions, and with ${whole(many)}.`,
  columns: ["", `${whole(few)} revisions`, `${whole(many)} revisions`, "times"],
}

export const history = onEachEngine("history", head, async (bench, engine, section) => {
  const ids: number[] = []
  const store = await makeStore(bench, engine, {
    variables: 1,
    fill: async (db, { collectionId }) => {
      for (const count of [few, many]) ids.push(await addEnvironment(db, collectionId, count))
    },
  })
  const { get, stop } = await serve(bench, store)
  const { calls, race } = bench.options
  const [first, second] = ids.map((id) => () => get(`/environments/${id}/history`)) as [Once, Once]
  const ratio = await addTimes(section, engineNames[engine], { turns: race.turns, calls, first, second })
  section.held.push(hold("history", engineNames[engine], ratio))
  await stop()
})

/** An environment with that many revisions. */
async function addEnvironment(db: Db, collectionId: number, revisions: number): Promise<number> {
  const { id } = await db
    .insertInto("environment")
    .values({
      collection_id: collectionId,
      name: `${revisions} revisions`,
      revision: revisions,
      item_count: 0,
      sealed_bytes: 0,
    })
    .returning("id")
    .executeTakeFirstOrThrow()
  await sql`insert into revision
      (environment_id, number, created_at, action, actor, actor_id, actor_name, note, added, changed, removed)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(revisions)})
    select ${sql.lit(id)}, n, 1, 'item.edit', 'user', 1, 'owner', '', 0, 1, 0 from numbers`.execute(db)
  return id
}
