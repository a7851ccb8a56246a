import { type Call, calls, type Environment, type User } from "@envkeep/contract"
import { allCalls, routeOf, routesIn } from "@envkeep/testing/all-calls.ts"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { engine } from "@envkeep/testing/database.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { type CompiledQuery, sql } from "kysely"
import { expect, test } from "vitest"
import { createReset } from "../src/features/users/resets.ts"

// Asks the engine for the plan of every statement that the calls make. None may scan a whole table.

/**
 * The counters count everything, and the product list shows all products, so they need no index. The index of unchained
 * events holds those of the last second, and is read whole.
 */
const wholeTable = [
  /^select count\(\*\)/,
  /^select coalesce\(sum\("item_count"\), 0\) as "count" from "environment"$/,
  /from "product" order by "id"$/,
  /from "audit_event" where "position" is null order by "id" limit /,
]

test("every statement finds its rows by an index", async () => {
  const executed = new Map<string, CompiledQuery>()
  const app = await testApp({ logQuery: ({ query }) => executed.set(query.sql, query) })
  executed.clear()
  await makeAllCalls(app)
  expect(routesIn(app.log)).toEqual(expect.arrayContaining(loggedCalls.map(routeOf)))

  const statements = [...executed.values()].filter(
    ({ sql }) =>
      /^(select|update|delete)/.test(sql) && !sql.includes("pg_notify") && !wholeTable.some((one) => one.test(sql)),
  )
  expect(statements).not.toEqual([])
  const scans: string[] = []
  for (const statement of statements) {
    const plan = await planOf(app, statement)
    if (/\bSCAN\b|Seq Scan/.test(plan)) scans.push(`${statement.sql}\n${plan}`)
  }
  expect(scans).toEqual([])
})

// An event stream is logged only when it ends.
const streams = new Set<Call>([calls.variables.watch, calls.collections.live])
const loggedCalls = allCalls.filter((call) => !streams.has(call))

async function makeAllCalls(app: TestApp): Promise<void> {
  const [ann, admin] = [await app.user(), await app.admin()]
  const environment = await ann.environment()
  const item = await ann.item(environment, "A", "1")
  const apiKey = await ann.apiKey(environment)
  const password = "correct horse battery staple"
  await ann.get("/users/me")
  await ann.get("/users/me/storage")
  await ann.put("/users", { username: "ann", email: "ann@example.com" })
  await ann.put("/users/password", { oldPassword: password, password, password2: password })
  await ann.get("/collection")
  await ann.get(`/collection/${environment.collectionId}`)
  await ann.put(`/collection/${environment.collectionId}`, { name: "x", description: "y" })
  await ann.get(`/subcollection/${environment.id}`)
  await ann.get(`/subcollection/all/${environment.collectionId}`)
  await ann.put(`/subcollection/${environment.id}`, { name: "renamed" })
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const stream = async (path: string, headers: Record<string, string>) =>
    readEvents(await fetch(`${url}/api${path}`, { headers }))
  const watched = await stream("/v1/variables/watch", { authorization: `Bearer ${apiKey.key}` })
  const live = await stream(`/collections/${environment.collectionId}/live`, { cookie: ann.cookie })
  for (const events of [watched, live]) await events.next()
  await ann.put(`/collectionItem/${item.id}`, { name: "B", value: "2" })
  for (const events of [watched, live]) await events.next()
  for (const events of [watched, live]) await events.return(undefined)
  // Refused: revisions 3 and 4 came later.
  await ann.put(`/collectionItem/${item.id}`, { name: "B", value: "3", revision: 1 })
  await ann.put(`/subcollection/${environment.id}`, { name: "again", revision: 1 })
  await ann.post(`/subcollection/${environment.id}/bulk?revision=1`, [{ name: "C", value: "3" }])
  await ann.put(`/environments/${environment.id}/items`, [
    { id: item.id, name: "D", value: "4" },
    { name: "E", value: "5" },
  ])
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "C", value: "3" }])
  const history = `/environments/${environment.id}`
  await ann.get(`${history}/history?before=5`)
  await ann.get(`${history}/history/5`)
  await ann.get(`${history}/history/5/changes`)
  await ann.get(`${history}/item-history?name=B`)
  await ann.post(`${history}/restore-item`, { name: "B", revision: 4 })
  await ann.post(`${history}/restore`, { revision: 5 })
  await ann.post(`${history}/erase`, { name: "B", revision: 4 })
  await ann.get("/api-key")
  await ann.get(`/api-key/${apiKey.id}/last-use`)
  await app.guest.variables(apiKey.key)
  await app.guest.variables(apiKey.key, "?revision=3")
  await app.guest.get("/v1/key", { authorization: `Bearer ${apiKey.key}` })
  const activity = `/collections/${environment.collectionId}/activity`
  const filters = "kind=items&personId=1&since=2020-01-01&until=2099-01-01&before=9999999999999"
  await ann.get(`${activity}?${filters}&environmentId=${environment.id}`)
  await ann.get(`${activity}/export`)
  await ann.get(`${activity}/reads`)
  for (const [reader, path] of [
    [ann, "/users/me/activity"],
    [admin, "/admin/activity"],
  ] as const) {
    await reader.get(path)
    await reader.get(`${path}?${filters}`)
    await reader.get(`${path}/export`)
  }
  await ann.delete(`/collectionItem/${(await ann.itemsOf(environment))[0]?.id}`)
  await ann.delete(`/api-key/${apiKey.id}`)
  await useTrash(ann, environment)
  await admin.get("/hrkljush")
  await admin.post("/hrkljush/product/create", { name: "p", type: "SERVICE", category: "SOFTWARE" })
  await admin.get("/hrkljush/product/list")
  const token = await createReset(app.core, (await ann.get<User>("/users/me")).body.data.id)
  await app.guest.post("/users/password/reset-link", { token })
  await app.guest.post("/users/password/reset", { token, password, password2: password })
  await ann.post("/users/login", { email: "ann@example.com", password })
  await ann.post("/users/logout")
}

async function useTrash(ann: Person, { id, collectionId }: Environment): Promise<void> {
  const environment = { id, name: "renamed" }
  const collection = { id: collectionId, name: "x" }
  await ann.delete(`/subcollection/${id}`)
  await ann.get(`/collections/${collectionId}/trash`)
  await ann.post(`/trash/environments/${id}/restore`)
  await ann.delete(`/subcollection/${id}`)
  await ann.purge("environments", environment)
  await ann.post(`/collections/${collectionId}/trash/empty`, { name: collection.name })
  await ann.delete(`/collection/${collectionId}`)
  await ann.get("/trash")
  await ann.post(`/trash/collections/${collectionId}/restore`)
  await ann.delete(`/collection/${collectionId}`)
  await ann.purge("collections", collection)
  await ann.post("/trash/empty", { name: "ann" })
}

async function planOf({ db }: TestApp, { sql: text, parameters }: CompiledQuery): Promise<string> {
  const explain = engine === "sqlite" ? "explain query plan " : "explain "
  return db.connection().execute(async (connection) => {
    // PostgreSQL prefers to scan an almost empty table. With this setting it does so only if no index can be used.
    if (engine === "postgres") await sql`set enable_seqscan = off`.execute(connection)
    const query = { ...sql`${sql.raw(explain)}`.compile(connection), sql: explain + text, parameters }
    const { rows } = await connection.executeQuery<Record<string, unknown>>(
      query as CompiledQuery<Record<string, unknown>>,
    )
    return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n")
  })
}
