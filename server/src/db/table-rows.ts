import type { Db } from "./schema.ts"
import { storedColumns } from "./stored-tables.ts"
import type { TableColumn } from "./table-lists.ts"
import type { RowOf, TableWithId } from "./tables.ts"

// Reads of any table, by its name.

export type Row = Record<string, unknown>

/** Few enough that a batch of the largest values fits in memory many times over. */
const rowsPerBatch = 200

/** All rows in the order of their ids, with the columns the store has, whatever version wrote it. */
export async function* readBatches(db: Db, table: TableWithId): AsyncGenerator<Row[]> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom(table)
      .selectAll()
      .where("id", ">", last)
      .orderBy("id")
      .limit(rowsPerBatch)
      .execute()
    const end = rows.at(-1)
    if (end === undefined) return
    yield rows
    last = end.id
  }
}

export async function rowsById(db: Db, table: TableWithId, ids: ReadonlySet<number>): Promise<Map<number, Row>> {
  if (ids.size === 0) return new Map()
  const rows = await db
    .selectFrom(table)
    .selectAll()
    .where("id", "in", [...ids])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The highest number in any of these columns that the store has; 0 when there is none. */
export async function highestOf(db: Db, columns: readonly TableColumn[]): Promise<number> {
  const stored = await storedColumns(db)
  const every = db.withTables<{ migration: RowOf<"migration"> }>()
  let highest = 0
  for (const { table, column } of columns) {
    if (!stored.get(table)?.has(column)) continue
    const row = await every
      .selectFrom(every.dynamic.table(table).as("rows"))
      .select(({ fn }) => fn.max<number | null>(every.dynamic.ref(column)).as("highest"))
      .executeTakeFirst()
    highest = Math.max(highest, row?.highest ?? 0)
  }
  return highest
}
