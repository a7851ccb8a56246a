import { sql } from "kysely"
import { engineOf } from "./engine.ts"
import type { Db } from "./schema.ts"
import type { TableName } from "./tables.ts"

/**
 * The newest id that the engine has given to a row of this table, deleted ones included; 0 if it has given none.
 * PostgreSQL also counts those of transactions that were rolled back.
 */
export async function newestGivenId(db: Db, table: TableName): Promise<number> {
  const query =
    engineOf(db) === "sqlite"
      ? sql<{ newest: number | null }>`select seq as newest from sqlite_sequence where name = ${table}`
      : sql<{ newest: number | null }>`
          select pg_sequence_last_value(pg_get_serial_sequence(${`"${table}"`}, 'id')::regclass) as newest`
  const { rows } = await query.execute(db)
  return rows[0]?.newest ?? 0
}
