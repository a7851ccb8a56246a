import { engineOf } from "@envkeep/server/db/engine.ts"
import type { Db } from "@envkeep/server/db/schema.ts"
import { sql } from "kysely"

interface FailingRow {
  table: string
  column: string
  value: number | string
  /** What fails; deleting it, unless said otherwise. */
  on?: "delete" | "update"
}

/** From now on, the database fails when this row is deleted. Returns what repairs it. */
export async function failOnRow(
  db: Db,
  { table, column, value, on = "delete" }: FailingRow,
): Promise<() => Promise<unknown>> {
  const [name, target] = [sql.ref(`failing_${table}_${value}`), sql.table(table)]
  const isRow = sql`old.${sql.ref(column)} = ${sql.lit(value)}`
  if (engineOf(db) === "sqlite") {
    await sql`create trigger ${name} before ${sql.raw(on)} on ${target} when ${isRow}
      begin select raise(abort, 'this row fails'); end`.execute(db)
    return () => sql`drop trigger ${name}`.execute(db)
  }
  await sql`create function ${name}() returns trigger language plpgsql as
    'begin raise exception ''this row fails''; end'`.execute(db)
  await sql`create trigger ${name} before ${sql.raw(on)} on ${target} for each row when (${isRow})
    execute function ${name}()`.execute(db)
  return () => sql`drop trigger ${name} on ${target}`.execute(db)
}
