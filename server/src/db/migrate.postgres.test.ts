import { visitor } from "@envkeep/testing/cluster.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { sql } from "kysely"
import { expect, onTestFinished, test } from "vitest"
import type { Migration } from "./migrate.ts"
import { migrations } from "./migrations/list.ts"
import { migrate } from "./migrator.ts"
import { openDatabase } from "./open.ts"

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

test("a migration and a writer that each need what the other has locked both come through", async () => {
  const { databaseUrl: url, dataDir } = await newStoreLocation()
  const { db } = await openDatabase({ url, dataDir })
  const writer = await openDatabase({ url, dataDir })
  onTestFinished(async () => {
    await db.destroy()
    await writer.db.destroy()
  })
  await migrate(db)
  const half = Promise.withResolvers<void>()
  const crossing: Migration = {
    name: "997-crossing",
    async up(tx) {
      await sql`alter table environment add column crossing text`.execute(tx)
      half.resolve()
      await sql`alter table session add column crossing text`.execute(tx)
    },
  }
  const tx = await writer.db.startTransaction().execute()
  await sql`update session set seen_at = seen_at`.execute(tx)
  const migrating = migrate(db, { all: [...migrations, crossing] })
  await half.promise
  await sql`update environment set changed_at = changed_at`.execute(tx)
  await tx.commit().execute()
  expect(await migrating).toEqual(["997-crossing"])
})
