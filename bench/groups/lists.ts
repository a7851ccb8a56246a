import type { Db } from "@envkeep/server/db/schema.ts"
import { sql } from "kysely"
import { type Bench, onEachEngine } from "../bench.ts"
import { login } from "../client.ts"
import { requestText } from "../line.ts"
import type { Engine } from "../options.ts"
import { milliseconds, whole } from "../report.ts"
import { copyEnvironments } from "../seed.ts"
import { makeStore, type Served, serve } from "../served.ts"
import { bulkRequest, type Stock, variableList } from "../stock.ts"
import { addTimes, compare, medianOf, type Once } from "../turns.ts"

// The same call where there is little and where there is much: in two stores, or by two users of one.

interface Contents {
  counts: readonly number[]
  /** Of the environment that is copied. */
  variables?: number
  fill: (count: number) => (db: Db, stocked: Stock) => Promise<void>
}

/** A store with few things, and one with many. */
async function littleAndMuch(bench: Bench, engine: Engine, { counts, variables = 1, fill }: Contents) {
  const stores: Served[] = []
  for (const count of counts) {
    bench.say(`    storing ${whole(count)}`)
    stores.push(await serve(bench, await makeStore(bench, engine, { variables, fill: fill(count) })))
  }
  return stores as [Served, Served]
}

const listsHead = {
  title: "Lists as they grow",
  how: "The same call on a small and on a large store, over one connection, from sending to the last byte. One owner has all collections; each has ten environments, and each environment a key. No call may cost more per thing returned.",
  columns: ["", "small", "large", "times, per thing returned"],
}

export const lists = onEachEngine("lists", listsHead, async (bench, engine, rows) => {
  const [few, many] = bench.options.quick ? [1_000, 10_000] : [5_000, 100_000]
  const [small, large] = await littleAndMuch(bench, engine, { counts: [few, many], fill: copyEnvironments })
  const contests: [what: string, growth: number, first: Once, second: Once][] = [
    [
      `${whole(few / 10)} and ${whole(many / 10)} collections`,
      many / few,
      () => small.get("/collection"),
      () => large.get("/collection"),
    ],
    ["an environment of 1,000 and of 10,000 items", 10, await itemList(small, 1_000), await itemList(small, 10_000)],
    [`first read after a change, among ${whole(few)} and ${whole(many)} keys`, 1, small.coldRead, large.coldRead],
  ]

  const calls = Math.max(3, Math.round(bench.options.calls / 20))
  for (const [what, growth, first, second] of contests) {
    const { ratio } = await addTimes(rows, what, { turns: bench.options.turns, calls, first, second, growth })
    rows.hold("lists", what, ratio)
  }
  for (const { stop } of [small, large]) await stop()
})

/** Makes an environment of so many items, and returns the call that lists them. */
async function itemList({ owner, ask, get, stocked }: Served, count: number): Promise<Once> {
  const id = await owner.environment(`of ${count}`, stocked.collectionId)
  await ask(bulkRequest(owner.cookie, id, variableList(count)))
  return () => get(`/subcollection/${id}`)
}

const [fewNames, manyNames] = [1_000, 100_000]
const namesPerEnvironment = 100

/** The names are all of the form SERVICE_SETTING_NUMBER_00042. */
const searches = [
  ["part of every name", "setting"],
  ["part of a few names", "r_00042"],
  ["part of no name", "missing"],
] as const

const findHead = {
  title: "Find by name",
  how: `The same search by an owner of ${whole(fewNames)} and of ${whole(manyNames)} variables, ${namesPerEnvironment} in each environment and ten environments in each collection, over one connection, from sending to the last byte. The first search after a start reads all names from the database, and is not counted: later ones find them in memory, except for those of environments that have changed.`,
  columns: ["", `among ${whole(fewNames)}`, `among ${whole(manyNames)}`],
}

export const find = onEachEngine("find", findHead, async (bench, engine, rows) => {
  const { turns, calls } = bench.options
  const stores = await littleAndMuch(bench, engine, {
    counts: [fewNames, manyNames],
    variables: namesPerEnvironment,
    fill: (names) => copyEnvironments(names / namesPerEnvironment),
  })
  const search = ({ ask, stocked: { cookie } }: Served, text: string) =>
    ask(requestText({ method: "POST", path: "/api/find", headers: { cookie }, body: { text } }))
  for (const store of stores) await search(store, searches[0][1])
  for (const [what, text] of searches) {
    const [few, many] = stores.map((store) => () => medianOf(calls, () => search(store, text))) as [Once, Once]
    const { first, second } = await compare(turns, few, many)
    rows.add(what, milliseconds(first), milliseconds(second))
    rows.hold("find", what, second)
  }
  for (const { stop } of stores) await stop()
})

const teams = 50
const collections = 1_000
const memberEmail = "member@example.com"

const peopleHead = {
  title: "What a member of many teams waits for",
  how: `${whole(collections)} collections with ten environments each. One user owns them all. Another reaches them all as an editor, through ${teams} teams. The same calls by both, over one connection, from sending to the last byte.`,
  columns: ["", "owner", "member", "times"],
}

export const people = onEachEngine("people", peopleHead, async (bench, engine, rows) => {
  const store = await makeStore(bench, engine, { variables: 1, fill: addMember })
  const { stocked, url, ask, stop } = await serve(bench, store)
  const member = await login(url, memberEmail)
  const { turns, calls: many } = bench.options
  for (const [what, path, calls] of [
    ["list of collections", "/collection", 5],
    ["one collection", `/collection/${stocked.collectionId}`, many],
    ["one environment", `/subcollection/${stocked.environment.id}`, many],
  ] as const) {
    const by = (cookie: string) => () => ask(requestText({ path: `/api${path}`, headers: { cookie } }))
    const contest = { turns, calls, first: by(stocked.cookie), second: by(member.cookie) }
    rows.hold("people", what, (await addTimes(rows, what, contest)).ratio)
  }
  await stop()
})

/** A copy of the owner's account, in all teams. Each collection is shared with one of them. */
async function addMember(db: Db, stocked: Stock): Promise<void> {
  await copyEnvironments(10 * collections)(db, stocked)
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

const manyEvents = 1_000_000

const activityHead = {
  title: "Activity as events add up",
  how: "A page of 50 events of one collection, over one connection, from sending to the last byte: the newest, and one from the middle of the table.",
  columns: ["", "among 100", "among many", "times"],
}

export const activity = onEachEngine("activity", activityHead, async (bench, engine, rows) => {
  const counts = [100, bench.options.quick ? 20_000 : manyEvents] as const
  const stores = await littleAndMuch(bench, engine, { counts, fill: addEvents })
  const pages: [what: string, query: (events: number) => string][] = [
    ["newest page", () => ""],
    // At least 50 events are before it.
    ["page in the middle", (events) => `?before=${Math.max(60, events / 2)}`],
  ]
  for (const [what, query] of pages) {
    const where = `${what}, ${whole(counts[1])} events`
    const [first, second] = stores.map(({ get, stocked }, at) => {
      const path = `/collections/${stocked.collectionId}/activity${query(counts[at] ?? 0)}`
      return () => get(path)
    }) as [Once, Once]
    const { ratio } = await addTimes(rows, where, { ...bench.options, first, second })
    // The short form stores too little to check the promise.
    if (counts[1] === manyEvents) rows.hold("activity", where, ratio)
  }
  for (const { stop } of stores) await stop()
})

/** Copies of one event, with positions, as if they were chained. */
function addEvents(events: number) {
  const columns = sql.raw(
    "created_at, action, actor, actor_id, actor_name, account_id, account_name, address, client, collection_id, collection_name, environment_id, environment_name, api_key_id, api_key_name, details, mac",
  )
  return async (db: Db, { collectionId }: Stock) => {
    await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(events)})
      insert into audit_event (${columns}, position)
      select ${columns}, 1000 + n.i from audit_event cross join n
      where collection_id = ${collectionId} and action = 'items.save'`.execute(db)
  }
}

const [fewRevisions, manyRevisions] = [100, 10_000]

const historyHead = {
  title: "History",
  how: `The first page of an environment's history, 50 revisions, over one connection, from sending to the last byte: of an environment with ${whole(fewRevisions)} revisions, and with ${whole(manyRevisions)}.`,
  columns: ["", `${whole(fewRevisions)} revisions`, `${whole(manyRevisions)} revisions`, "times"],
}

export const history = onEachEngine("history", historyHead, async (bench, engine, rows) => {
  const ids: number[] = []
  const fill = async (db: Db, { collectionId }: Stock) => {
    for (const count of [fewRevisions, manyRevisions]) ids.push(await addRevisions(db, collectionId, count))
  }
  const { get, stop } = await serve(bench, await makeStore(bench, engine, { variables: 1, fill }))
  const { calls, race } = bench.options
  const [first, second] = ids.map((id) => () => get(`/environments/${id}/history`)) as [Once, Once]
  rows.hold("history", "", (await addTimes(rows, "", { turns: race.turns, calls, first, second })).ratio)
  await stop()
})

/** An environment with that many revisions. */
async function addRevisions(db: Db, collectionId: number, revision: number): Promise<number> {
  const name = `${revision} revisions`
  const { id } = await db
    .insertInto("environment")
    .values({ collection_id: collectionId, name, revision, item_count: 0, sealed_bytes: 0 })
    .returning("id")
    .executeTakeFirstOrThrow()
  await sql`insert into revision
      (environment_id, number, created_at, action, actor, actor_id, actor_name, note, added, changed, removed)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(revision)})
    select ${sql.lit(id)}, n, 1, 'item.edit', 'user', 1, 'owner', '', 0, 1, 0 from numbers`.execute(db)
  return id
}
