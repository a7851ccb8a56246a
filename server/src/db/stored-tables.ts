import { sql } from "kysely"
import { engineOf } from "./engine.ts"
import type { Db } from "./schema.ts"
import type { TableName } from "./tables.ts"

/** The tables of a store and the types of their columns, whatever version wrote it. */
export async function storedColumns(db: Db): Promise<Map<string, Map<string, string>>> {
  const all = await db.introspection.getTables()
  // A database may have tables of the same names in other schemas, of another application or another Envkeep.
  const ours = await currentSchema(db)
  const stored = all.filter(({ schema }) => schema === ours)
  return new Map(
    stored.map(({ name, columns }) => [name, new Map(columns.map((column) => [column.name, column.dataType]))]),
  )
}

/** Undefined on SQLite, which has no schemas. */
async function currentSchema(db: Db): Promise<string | undefined> {
  if (engineOf(db) === "sqlite") return undefined
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db)
  return rows[0]?.name
}

/** The names of all tables there are. Their columns would take longer than all else that a start asks. */
export async function tableNames(db: Db): Promise<Set<string>> {
  const names =
    engineOf(db) === "sqlite"
      ? sql`select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!'`
      : sql`select tablename as name from pg_tables where schemaname = current_schema()`
  const { rows } = await sql<{ name: string }>`${names}`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

export async function hasTable(db: Db, name: TableName): Promise<boolean> {
  return (await tableNames(db)).has(name)
}
