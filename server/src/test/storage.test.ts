import { sql } from "kysely"
import { expect, test } from "vitest"
import { testApp } from "./app.ts"
import { engine } from "./database.ts"

// What the engines do when they cannot do what is asked: a full disk, connections cut, a database that takes no writes.

const away = "The database cannot be reached right now. Nothing was changed; please try again"
const full = "The server cannot write to its disk. Nothing was changed"

test("when the store cannot take a write, it is refused with a sentence, and nothing is half done", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "KEPT", "1")
  const save = (size: number) =>
    ann.post(`/subcollection/${environment.id}/bulk`, [
      { name: "KEPT", value: "2" },
      ...Array.from({ length: 50 }, (_, n) => ({ name: `N${n}`, value: "x".repeat(size) })),
    ])

  if (engine === "sqlite") await sql`pragma max_page_count = 60`.execute(app.db)
  else
    await sql`alter database ${sql.id(await databaseName(app.db))} set default_transaction_read_only = on`.execute(
      app.db,
    )
  if (engine === "postgres") await cutConnections(app.db)

  const refused = await save(60_000)
  expect(refused).toMatchObject({ status: 503, body: { error: true, msg: engine === "sqlite" ? full : away } })
  expect((await ann.itemsOf(environment)).map((item) => item.value)).toEqual(["1"])

  if (engine === "sqlite") await sql`pragma max_page_count = 1000000`.execute(app.db)
  else await allowWrites(app.db)
  if (engine === "postgres") await cutConnections(app.db)
  expect((await save(60_000)).status).toBe(200)
})

test("connections that are cut in the middle of everything are refusals, never a crash", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const work = Array.from({ length: 60 }, (_, n) =>
    n % 3 === 0
      ? ann.post(`/subcollection/${environment.id}/bulk`, [{ name: `B${n}`, value: "v" }])
      : n % 3 === 1
        ? ann.post("/collectionItem", { name: `N${n}`, value: "v", subCollectionId: environment.id })
        : ann.get(`/collection/${environment.collectionId}`),
  )
  for (let cut = 0; cut < 5; cut++) if (engine === "postgres") await cutConnections(app.db).catch(() => undefined)
  for (const { status, body } of await Promise.all(work)) {
    expect([200, 503]).toContain(status)
    if (status === 503) expect(body).toEqual({ error: true, msg: away, data: null })
  }
  expect((await ann.get("/collection")).status).toBe(200)
})

async function databaseName(db: Awaited<ReturnType<typeof testApp>>["db"]): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  return rows[0]?.name ?? ""
}

async function cutConnections(db: Awaited<ReturnType<typeof testApp>>["db"]): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid != pg_backend_pid()`.execute(db)
}

async function allowWrites(db: Awaited<ReturnType<typeof testApp>>["db"]): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set default_transaction_read_only = off`.execute(connection)
    await sql`alter database ${sql.id(await databaseName(connection))} reset default_transaction_read_only`.execute(
      connection,
    )
  })
}
