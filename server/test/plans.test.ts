import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { engine } from "@envkeep/testing/database.ts"
import { type CompiledQuery, sql } from "kysely"
import { expect, test } from "vitest"

// Every statement that the calls make, put before the engine's own planner: none may read a table from end to end.

/** The counters count all rows, and the products are all shown: there is nothing to look up. */
const readsAll = [/^select count\(\*\)/, /from "product" order by "id"$/]

test("every statement finds its rows by an index", async () => {
  const asked = new Map<string, CompiledQuery>()
  const app = await testApp({ logQuery: ({ query }) => asked.set(query.sql, query) })
  asked.clear()
  await makeAllCalls(app)

  const statements = [...asked.values()].filter(
    ({ sql }) =>
      /^(select|update|delete)/.test(sql) && !sql.includes("pg_notify") && !readsAll.some((one) => one.test(sql)),
  )
  expect(statements.length).toBeGreaterThan(30)
  const scans: string[] = []
  for (const statement of statements) {
    const plan = await planOf(app, statement)
    if (/\bSCAN\b|Seq Scan/.test(plan)) scans.push(`${statement.sql}\n${plan}`)
  }
  expect(scans).toEqual([])
})

async function makeAllCalls(app: TestApp): Promise<void> {
  const [ann, admin] = [await app.user(), await app.admin()]
  const environment = await ann.environment()
  const item = await ann.item(environment, "A", "1")
  const apiKey = await ann.apiKey(environment)
  const password = "correct horse battery staple"
  await ann.get("/users/me")
  await ann.put("/users", { username: "ann", email: "ann@example.com" })
  await ann.put("/users/password", { oldPassword: password, password, password2: password })
  await ann.get("/collection")
  await ann.get(`/collection/${environment.collectionId}`)
  await ann.put(`/collection/${environment.collectionId}`, { name: "x", description: "y" })
  await ann.get(`/subcollection/${environment.id}`)
  await ann.get(`/subcollection/all/${environment.collectionId}`)
  await ann.put(`/subcollection/${environment.id}`, { name: "renamed" })
  await ann.put(`/collectionItem/${item.id}`, { name: "B", value: "2" })
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "C", value: "3" }])
  await ann.get("/api-key")
  await app.guest.variables(apiKey.key)
  await app.guest.get("/v1/key", { authorization: `Bearer ${apiKey.key}` })
  await ann.delete(`/collectionItem/${(await ann.itemsOf(environment))[0]?.id}`)
  await ann.delete(`/api-key/${apiKey.id}`)
  await ann.delete(`/subcollection/${environment.id}`)
  await ann.delete(`/collection/${environment.collectionId}`)
  await admin.get("/hrkljush")
  await admin.get("/hrkljush/product/list")
  await ann.post("/users/logout")
}

async function planOf({ db }: TestApp, { sql: text, parameters }: CompiledQuery): Promise<string> {
  const explain = engine === "sqlite" ? "explain query plan " : "explain "
  return db.connection().execute(async (connection) => {
    // An empty table is cheapest read whole; with this, it is read whole only where no index would do.
    if (engine === "postgres") await sql`set enable_seqscan = off`.execute(connection)
    const query = { ...sql`${sql.raw(explain)}`.compile(connection), sql: explain + text, parameters }
    const { rows } = await connection.executeQuery<Record<string, unknown>>(
      query as CompiledQuery<Record<string, unknown>>,
    )
    return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n")
  })
}
