import { openDatabase } from "@envkeep/server/db/open.ts"
import { sql } from "kysely"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times, whole } from "../report.ts"
import { seed } from "../seed.ts"
import { login, stock } from "../stock.ts"
import { newStoreLocation, type StoreLocation } from "../store-location.ts"
import { byTurns, median, medianOf, medianRatio } from "../turns.ts"

const teams = 50
const collections = 1_000
const environmentsPerCollection = 10
const memberEmail = "member@example.com"

export const people: Group = {
  name: "people",
  async run(bench) {
    const section: Section = {
      title: "What a member of many teams waits for",
      how: `${whole(collections)} collections with ten environments each. One user owns them all. Another reaches them all as an editor, through ${teams} teams. The same calls by both, over one connection, from sending to the last byte.`,
      columns: ["", "owner", "member", "times"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, section)
    return [section]
  },
}

async function measure(bench: Bench, engine: (typeof engines)[number], section: Section): Promise<void> {
  bench.say(`  ${engineNames[engine]}: storing ${whole(collections)} collections`)
  const location = await newStoreLocation(bench, engine)
  const empty = await startProduct(bench, location)
  const stocked = await stock(empty, 1)
  await empty.stop()
  await seed(location, stocked, collections * environmentsPerCollection)
  await addMember(location)

  const product = await startProduct(bench, location)
  const line = await openLine(product.port)
  const member = await login(product.url, memberEmail)
  const many = bench.options.calls
  for (const [what, path, calls] of [
    ["list of collections", "/collection", 5],
    ["one collection", `/collection/${stocked.collectionId}`, many],
    ["one environment", `/subcollection/${stocked.environment.id}`, many],
  ] as const) {
    const where = `${engineNames[engine]}, ${what}`
    bench.say(`  ${where}`)
    const by = (cookie: string) => async () =>
      (await line.ask(requestText({ path: `/api${path}`, headers: { cookie } }), 200)).ms
    const results = await byTurns(bench.options.turns, {
      owner: () => medianOf(calls, by(stocked.cookie)),
      member: () => medianOf(calls, by(member)),
    })
    const ratio = medianRatio(results.member, results.owner)
    section.rows.push([where, milliseconds(median(results.owner)), milliseconds(median(results.member)), times(ratio)])
    section.held.push(hold("people", where, ratio))
  }
  line.close()
  await product.stop()
}

/** A copy of the owner's account, in all teams. Each collection is shared with one of them. */
async function addMember(location: StoreLocation): Promise<void> {
  const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  await sql`insert into "user" (username, email, email_key, password_hash, is_admin, created_at)
    select 'member', ${memberEmail}, ${memberEmail}, password_hash, 0, created_at from "user"`.execute(db)
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(teams)})
    insert into team (name, created_at) select 'team ' || i, 0 from n`.execute(db)
  await sql`insert into team_member (team_id, user_id, is_admin, created_at)
    select team.id, "user".id, 0, 0 from team cross join "user" where email = ${memberEmail}`.execute(db)
  await sql`insert into collection_team (collection_id, team_id, role, created_at)
    select collection.id, team.id, 'editor', 0 from collection
    join team on team.id = (select min(id) from team) + collection.id % ${sql.lit(teams)}`.execute(db)
  await (location.databaseUrl !== undefined ? sql`vacuum analyze` : sql`pragma wal_checkpoint(truncate)`).execute(db)
  await db.destroy()
}
