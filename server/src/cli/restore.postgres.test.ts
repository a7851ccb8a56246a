import { newStoreLocation, type StoreLocation } from "@envkeep/testing/database.ts"
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

async function clientOf({ databaseUrl }: StoreLocation): Promise<pg.Client> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const nameOf = ({ databaseUrl = "" }: StoreLocation) => new URL(databaseUrl).pathname.slice(1)

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
  const others = await clientOf(into)
  await others.query("create table theirs (id bigint primary key, name text unique, parent bigint references theirs)")
  await others.query("create index theirs_parent on theirs (parent); insert into theirs values (1, 'a', 1)")
  // A row that the rules would refuse now. To take them off and to put them back would fail.
  await others.query("set session_replication_role = replica; insert into theirs values (2, 'b', 3)")
  await restored(app, file, { into })
  expect((await others.query("select * from theirs order by id")).rows).toHaveLength(2)
})

test("a store in a schema of its own is restored beside tables of the same names in other schemas", async () => {
  const { app, ann, environment, file } = await backedUp()
  const into = await newStoreLocation()
  const others = await clientOf(into)
  await others.query('create schema "Envkeep"; create schema zoo')
  await others.query("create table zoo.item (id uuid primary key, environment_id uuid, name text unique)")
  await others.query("create table zoo.migration (name text)")
  await others.query(`alter database ${nameOf(into)} set search_path = "Envkeep"`)
  const copy = await restored(app, file, { into })
  const again = await copy.logIn(ann.email)
  expect(await again.itemsOf(environment)).toMatchObject([{ name: "A", value: "1" }])
  const rules = "select conname from pg_constraint where conrelid = to_regclass($1) order by conname"
  expect((await others.query(rules, ["zoo.item"])).rows).toHaveLength(2)
  expect((await others.query(rules, ['"Envkeep".item'])).rows).toHaveLength(3)
})

test("an operator's limit on statements does not end a restore", async () => {
  const { app, file } = await backedUp()
  const into = await newStoreLocation()
  const operator = await clientOf(into)
  await operator.query(`alter database ${nameOf(into)} set statement_timeout = '10min'`)
  await operator.query("create table noted (max text)")
  await operator.query(`create function note() returns event_trigger language plpgsql as
    'begin insert into noted values (current_setting(''statement_timeout'')); end'`)
  await operator.query(
    "create event trigger note on ddl_command_end when tag in ('CREATE INDEX') execute function note()",
  )
  await restored(app, file, { into })
  expect((await operator.query("select distinct max from noted")).rows).toEqual([{ max: "0" }])
})
