import { visitor } from "@envkeep/testing/cluster.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { run } from "@envkeep/testing/process.ts"
import { sql } from "kysely"
import { expect, onTestFinished, test } from "vitest"
import { toStartError } from "../start/to-start-error.ts"
import type { Migration } from "./migrate.ts"
import { migrations } from "./migrations/list.ts"
import { migrate } from "./migrator.ts"
import { openDatabase } from "./open.ts"
import type { Db } from "./schema.ts"

/** Fails when it runs twice. */
const madeUp: Migration = {
  name: "998-made-up",
  async up(db) {
    await sql`alter table environment add column made_up text not null default 'new'`.execute(db)
    await sql`create table made_up as select id from environment`.execute(db)
  },
}

test("three nodes of a new version migrate at once, once, while one of the old version serves", async () => {
  const location = await newStoreLocation()
  const old = run(location)
  const ann = visitor([await old.url()])
  await ann.register(0, "ann@example.com", "a good password")
  await ann.login(0, "ann@example.com", "a good password")
  const collection = await ann.collection(0)
  const before = await ann.environment(0, collection.id, "before")

  const nodes = await Promise.all(
    [1, 2, 3].map(() => openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })),
  )
  onTestFinished(async () => {
    for (const { db } of nodes) await db.destroy()
  })
  const applied = await Promise.all(nodes.map(({ db }) => migrate(db, { all: [...migrations, madeUp] })))
  expect(applied.flat()).toEqual(["998-made-up"])

  // The old version keeps working on what it knows. Once stopped, it must not start again.
  expect((await ann.save(0, before, "1")).status).toBe(200)
  expect((await ann.call(0, "POST", "/subcollection", { name: "after", collectionId: collection.id })).status).toBe(200)
  old.child.kill("SIGTERM")
  expect((await old.ended).code).toBe(0)
  expect(await run(location).ended).toMatchObject({
    code: 78,
    err: expect.stringContaining("This store was written by a newer version (998-made-up)"),
  })
})

/** A store that is up to date, with a pool for its migrations and another one. */
async function migratedStore(): Promise<Record<"db" | "others", Db>> {
  const { databaseUrl: url, dataDir } = await newStoreLocation()
  const [{ db }, { db: others }] = [await openDatabase({ url, dataDir }), await openDatabase({ url, dataDir })]
  onTestFinished(async () => {
    await db.destroy()
    await others.destroy()
  })
  await migrate(db)
  return { db, others }
}

test("a migration comes through beside writers that never stop, and fails none of them", async () => {
  const { db, others: writer } = await migratedStore()
  const crossing: Migration = {
    name: "997-crossing",
    async up(tx) {
      for (const name of ["api_key", "environment", "session", "user"]) {
        await sql`alter table ${sql.table(name)} add column crossing text`.execute(tx)
      }
    },
  }
  let hasMigrated = false
  const write = async (names: string[]) => {
    while (!hasMigrated) {
      await writer.transaction().execute(async (tx) => {
        for (const name of names) await sql`update ${sql.table(name)} set id = id`.execute(tx)
      })
    }
  }
  const written = Promise.all([
    write(["session", "environment", "api_key", "user"]),
    write(["user", "api_key", "environment", "session"]),
  ])
  const migrated = await migrate(db, { all: [...migrations, crossing] }).finally(() => {
    hasMigrated = true
  })
  expect(migrated).toEqual(["997-crossing"])
  await written
})

test("a migration waits for a long backup, and lets writers go on until it has ended", async () => {
  const { db, others } = await migratedStore()
  const backup = await others.startTransaction().execute()
  await sql`select count(*) from item`.execute(backup)
  const migrating = migrate(db, { all: [...migrations, madeUp] })
  // As many as there are while it tries several times.
  for (let waits = 0; waits < 3; ) {
    const { rows } = await sql`select 1 from pg_locks where not granted and relation is not null`.execute(others)
    waits += rows.length
    await sql`update environment set changed_at = changed_at`.execute(others)
  }
  await backup.commit().execute()
  expect(await migrating).toEqual(["998-made-up"])
})

test("a migration that waits for a vacuum holds no one up", async () => {
  const { db, others } = await migratedStore()
  const vacuum = await others.startTransaction().execute()
  await sql`lock table item in share update exclusive mode`.execute(vacuum)
  const migrating = migrate(db, { all: [...migrations, madeUp] })
  const waiting = sql<{ mode: string }>`select mode from pg_locks where not granted and relation is not null`
  await expect
    .poll(async () => (await waiting.execute(others)).rows, eventually)
    .toEqual([{ mode: "ShareUpdateExclusiveLock" }])
  await others.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = 1`.execute(tx)
    for (const name of ["environment", "item"]) await sql`update ${sql.table(name)} set id = id`.execute(tx)
  })
  await vacuum.commit().execute()
  expect(await migrating).toEqual(["998-made-up"])
})

test("a disk of the database that fills during a migration is said to be full, and nothing was changed", async () => {
  const { db } = await migratedStore()
  const full: Migration = {
    name: "998-full",
    async up(tx, engine, say) {
      await madeUp.up(tx, engine, say)
      await sql`do $$ begin raise exception using errcode = 'disk_full', message = 'no space'; end $$`.execute(tx)
    },
  }
  const error = await migrate(db, { all: [...migrations, full] }).catch((thrown: unknown) => thrown)
  expect(
    await toStartError(error, { databaseUrl: "postgres://db.example.com/envkeep", dataDir: "/data" }),
  ).toMatchObject({
    exitCode: 69,
    message:
      "The disk of the database at db.example.com/envkeep is full: free some space on it, then try again (no space)",
  })
  expect(await migrate(db, { all: [...migrations, madeUp] })).toEqual(["998-made-up"])
})
