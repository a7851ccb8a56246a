import type { Db } from "./schema.ts"
import type { TableName } from "./tables.ts"

/** The tables of a store and their columns, whatever version wrote it. */
export async function storedColumns(db: Db): Promise<Map<string, Set<string>>> {
  const stored = await db.introspection.getTables()
  return new Map(stored.map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]))
}

/** The names of all tables there are. */
export async function tableNames(db: Db): Promise<Set<string>> {
  return new Set((await storedColumns(db)).keys())
}

export async function hasTable(db: Db, name: TableName): Promise<boolean> {
  return (await tableNames(db)).has(name)
}
