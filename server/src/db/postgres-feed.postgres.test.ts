import { newStoreLocation } from "@envkeep/testing/database.ts"
import { sql } from "kysely"
import pg from "pg"
import { expect, onTestFinished, test } from "vitest"
import type { Invalidation } from "./invalidation.ts"
import { openDatabase } from "./open.ts"

/** A node that hears, and a connection of another program to the same database. */
async function hearingNode() {
  const { dataDir, databaseUrl } = await newStoreLocation()
  const { db, follow } = await openDatabase({ url: databaseUrl, dataDir })
  onTestFinished(() => db.destroy())
  const heard: (Invalidation[] | "anything")[] = []
  const feed = follow({
    changed: (changes) => void heard.push(changes),
    mayHaveMissedChanges: () => void heard.push("anything"),
  })
  onTestFinished(() => feed.close())
  const other = new pg.Client(databaseUrl)
  await other.connect()
  onTestFinished(() => other.end())
  await expect.poll(() => feed.isInSync()).toBe(true)
  heard.length = 0
  return { db, feed, heard, other }
}

test("a notification that makes no sense counts as a change of anything, and the node goes on hearing", async () => {
  const { feed, heard, other } = await hearingNode()
  const senseless = [
    "",
    "garbage",
    "null",
    "[]",
    "[1]",
    "{}",
    '[{"environmentId":"1"}]',
    '[{"environmentId":1,"ends":7}]',
  ]
  for (const payload of senseless) await other.query("select pg_notify('envkeep_changes', $1)", [payload])
  await other.query("notify envkeep_changes")
  const sensible = [{ environmentId: 1 }, { collectionId: 2, ends: true }, { environmentId: 3, ends: { keyHash: "a" } }]
  await other.query("select pg_notify('envkeep_changes', $1)", [JSON.stringify(sensible)])
  await expect.poll(() => heard.at(-1)).toEqual(sensible)
  // Of equal notifications in one transaction PostgreSQL delivers one; these were sent one by one.
  expect(heard.slice(0, -1)).toEqual([...senseless, "without payload"].map(() => "anything"))
  expect([feed.notUnderstood(), feed.isInSync(), feed.reconnects()]).toEqual([senseless.length + 1, true, 0])
})

test("while every connection of the pool is taken, the node starts to hear again, and what is under way is saved", async () => {
  const { db, feed, other } = await hearingNode()
  const end = Promise.withResolvers<void>()
  let begun = 0
  const underWay = Array.from({ length: 10 }, () =>
    db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx)
      begun++
      await end.promise
      await sql`select 1`.execute(tx)
    }),
  )
  await expect.poll(() => begun).toBe(10)
  await other.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'envkeep listening' and datname = current_database()",
  )
  await expect.poll(() => feed.reconnects() === 1 && feed.isInSync()).toBe(true)
  expect(feed.isDatabaseDown()).toBe(false)
  end.resolve()
  expect(await Promise.allSettled(underWay)).toEqual(underWay.map(() => ({ status: "fulfilled", value: undefined })))
})
