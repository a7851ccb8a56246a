import type { Db } from "@envkeep/server/db/schema.ts"
import { sql } from "kysely"
import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { addTimes } from "../compare-times.ts"
import { engineNames } from "../engines.ts"
import { requestText } from "../load/request.ts"
import { whole } from "../report.ts"
import { copyEnvironments } from "../seed.ts"
import { makeStore, serve } from "../served.ts"
import { login, type Stock } from "../stock.ts"

const teams = 50
const collections = 1_000
const environmentsPerCollection = 10
const memberEmail = "member@example.com"

const head = {
  title: "What a member of many teams waits for",
  how: `${whole(collections)} collections with ten environments each. One user owns them all. Another reaches them all as an editor, through ${teams} teams. The same calls by both, over one connection, from sending to the last byte.`,
  columns: ["", "owner", "member", "times"],
}

export const people = onEachEngine("people", head, async (bench, engine, section) => {
  const store = await makeStore(bench, engine, { variables: 1, fill })
  const { stocked, url, ask, stop } = await serve(bench, store)
  const member = await login(url, memberEmail)
  const many = bench.options.calls
  for (const [what, path, calls] of [
    ["list of collections", "/collection", 5],
    ["one collection", `/collection/${stocked.collectionId}`, many],
    ["one environment", `/subcollection/${stocked.environment.id}`, many],
  ] as const) {
    const where = `${engineNames[engine]}, ${what}`
    const by = (cookie: string) => () => ask(requestText({ path: `/api${path}`, headers: { cookie } }))
    const { turns } = bench.options
    const ratio = await addTimes(section, where, { turns, calls, first: by(stocked.cookie), second: by(member) })
    section.held.push(hold("people", where, ratio))
  }
  await stop()
})

/** A copy of the owner's account, in all teams. Each collection is shared with one of them. */
async function fill(db: Db, stocked: Stock): Promise<void> {
  await copyEnvironments(collections * environmentsPerCollection)(db, stocked)
  await sql`insert into "user" (username, email, email_key, password_hash, is_admin, created_at)
    select 'member', ${memberEmail}, ${memberEmail}, password_hash, 0, created_at from "user"`.execute(db)
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(teams)})
    insert into team (name, created_at) select 'team ' || i, 0 from n`.execute(db)
  await sql`insert into team_member (team_id, user_id, is_admin, created_at)
    select team.id, "user".id, 0, 0 from team cross join "user" where email = ${memberEmail}`.execute(db)
  await sql`insert into collection_team (collection_id, team_id, role, created_at)
    select collection.id, team.id, 'editor', 0 from collection
    join team on team.id = (select min(id) from team) + collection.id % ${sql.lit(teams)}`.execute(db)
}
