import { sql } from "kysely"
import type { Db } from "../db/schema.ts"
import { tables } from "../db/tables.ts"

// On PostgreSQL, to look up each of millions of rows in every index, and its parent with a lock, takes longer than all the
// rest of a restore. To build an index of what is there, and to check all references at once, takes a fraction of it.

interface Part {
  table: string
  name: string
  /** As in `create table`, or the whole statement that makes an index. */
  definition: string
}

/**
 * Takes off what PostgreSQL checks and keeps for each row, but for primary keys and what a single row shows. Returns what
 * puts it back, which fails if the rows contradict it.
 */
export async function bareTables(tx: Db): Promise<() => Promise<void>> {
  const references = await constraintsOf(tx, "f")
  const uniques = await constraintsOf(tx, "u")
  const indexes = await indexesOf(tx)
  for (const { table, name } of [...references, ...uniques]) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx)
  }
  for (const { name } of indexes) await sql`drop index ${sql.ref(name)}`.execute(tx)
  const add = async (parts: readonly Part[]) => {
    for (const { table, name, definition } of parts) {
      await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(tx)
    }
  }
  return async () => {
    for (const { definition } of indexes) await sql.raw(definition).execute(tx)
    await add(uniques)
    await add(references)
  }
}

/** There may be other tables in the database, and in its other schemas. */
const ours = sql.join(Object.keys(tables))
const ourSchema = sql`(select oid from pg_namespace where nspname = current_schema())`

async function constraintsOf(tx: Db, type: "f" | "u"): Promise<Part[]> {
  const { rows } = await sql<Part>`
    select pg_class.relname as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = ${type} and connamespace = ${ourSchema} and pg_class.relname in (${ours})
    order by pg_constraint.oid`.execute(tx)
  return rows
}

/** Those that belong to no constraint. */
async function indexesOf(tx: Db): Promise<Pick<Part, "name" | "definition">[]> {
  const { rows } = await sql<Pick<Part, "name" | "definition">>`
    select own.relname as name, pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class as own on own.oid = indexrelid join pg_class on pg_class.oid = indrelid
    where own.relnamespace = ${ourSchema} and pg_class.relname in (${ours})
      and not exists (select from pg_constraint where conindid = indexrelid and contype <> 'f')
    order by indexrelid`.execute(tx)
  return rows
}
