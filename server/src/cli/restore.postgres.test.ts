import { newStoreLocation } from "@envkeep/testing/database.ts"
import { backedUp, restored } from "@envkeep/testing/restored.ts"
import { sql } from "kysely"
import pg from "pg"
import { expect, onTestFinished, test } from "vitest"
import type { Db } from "../db/schema.ts"

/** Everything that PostgreSQL checks and keeps, in its own words. */
async function rulesOf(db: Db): Promise<unknown[]> {
  const { rows: constraints } = await sql`
    select conrelid::regclass::text as table, conname, convalidated, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace order by conrelid::regclass::text, conname`.execute(db)
  const { rows: indexes } = await sql`
    select indexdef from pg_indexes where schemaname = 'public' order by indexname`.execute(db)
  return [...constraints, ...indexes]
}

test("a restored database has every index and every rule of a new one", async () => {
  const { app, file } = await backedUp()
  const rules = await rulesOf(app.db)
  expect(rules.length).toBeGreaterThan(100)
  const copy = await restored(app, file)
  expect(await rulesOf(copy.db)).toEqual(rules)
})

test("the planner knows the restored tables at once", async () => {
  const { app, file } = await backedUp()
  const copy = await restored(app, file)
  const { rows } =
    await sql`select distinct tablename from pg_stats where tablename in ('item', 'environment')`.execute(copy.db)
  expect(rows).toHaveLength(2)
})

test("tables of others in the same database stay as they are", async () => {
  const { app, file } = await backedUp()
  const into = await newStoreLocation()
  const others = new pg.Client(into.databaseUrl)
  await others.connect()
  onTestFinished(() => others.end())
  await others.query("create table theirs (id bigint primary key, name text unique, parent bigint references theirs)")
  await others.query("create index theirs_parent on theirs (parent); insert into theirs values (1, 'a', 1)")
  // A row that the rules would refuse now. To take them off and to put them back would fail.
  await others.query("set session_replication_role = replica; insert into theirs values (2, 'b', 3)")
  await restored(app, file, { into })
  expect((await others.query("select * from theirs order by id")).rows).toHaveLength(2)
})
