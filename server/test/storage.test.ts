import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { engine, onPostgres } from "@envkeep/testing/database.ts"
import { waitTimeoutMs } from "@envkeep/testing/time-limits.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"

// How both engines fail: a full disk, closed connections, a database that accepts no writes.

const refusal =
  engine === "sqlite"
    ? "The server cannot write to its disk. Nothing was changed"
    : "The database cannot be reached right now. Nothing was changed; please try again"

test("a write that the store cannot take is refused with a sentence, and nothing of it is saved", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "KEPT", "1")
  const save = () =>
    ann.post(`/subcollection/${environment.id}/bulk`, [
      { name: "KEPT", value: "2" },
      ...Array.from({ length: 50 }, (_, n) => ({ name: `N${n}`, value: "x".repeat(60_000) })),
    ])

  await refuseWrites(app, true)
  expect(await save()).toMatchObject({ status: 503, body: { error: true, msg: refusal, data: null } })
  expect((await ann.itemsOf(environment)).map((item) => item.value)).toEqual(["1"])

  await refuseWrites(app, false)
  expect(await save()).toMatchObject({ status: 200 })
  expect(await ann.itemsOf(environment)).toHaveLength(51)
})

const refusals = [
  refusal,
  "The connection to the database was lost while saving. Check whether it was saved before you try again",
].map((msg) => ({ error: true, msg, data: null }))

test("calls whose database connections are closed are refused, and the server does not crash", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const work = Array.from({ length: 20 }, (_, n) => [
    ann.post(`/subcollection/${environment.id}/bulk`, [{ name: `B${n}`, value: "v" }]),
    ann.post("/collectionItem", { name: `N${n}`, value: "v", subCollectionId: environment.id }),
    ann.get(`/collection/${environment.collectionId}`),
  ]).flat()
  for (let n = 0; n < 3; n++) await closeConnections(app)
  for (const { status, body } of await Promise.all(work)) {
    expect([200, 503]).toContain(status)
    if (status === 503) expect(refusals).toContainEqual(body)
  }
  expect((await ann.get("/collection")).status).toBe(200)
})

/** SQLite runs out of pages, as on a full disk. PostgreSQL becomes read-only, like a standby. */
async function refuseWrites(app: TestApp, refused: boolean): Promise<void> {
  if (engine === "sqlite") {
    await sql`pragma max_page_count = ${sql.lit(refused ? 60 : 1_000_000)}`.execute(app.db)
    return
  }
  await onPostgres(
    `alter database ${await databaseName(app)} set default_transaction_read_only = ${refused ? "on" : "off"}`,
  )
  await closeConnections(app)
}

async function closeConnections(app: TestApp): Promise<void> {
  if (engine === "sqlite") return
  const name = await databaseName(app)
  await onPostgres(`select pg_terminate_backend(pid, ${waitTimeoutMs}) from pg_stat_activity where datname = '${name}'`)
  // The pool notices closed connections only when it uses them, so each is used once.
  await Promise.allSettled(Array.from({ length: 10 }, () => sql`select 1`.execute(app.db)))
}

let known: { app: TestApp; name: string } | undefined

async function databaseName(app: TestApp): Promise<string> {
  if (known?.app !== app) {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(app.db)
    known = { app, name: rows[0]?.name ?? "" }
  }
  return known.name
}
