import type { Db } from "../db/schema.ts"
import { parentsOf } from "../db/table-lists.ts"
import { type Row, readBatches, rowsById } from "../db/table-rows.ts"
import { type TableName, type TableWithId, tables } from "../db/tables.ts"
import { printable } from "./finding.ts"

/** A row with the rows it is in, nearest first, up to its collection. */
export interface PlacedRow {
  row: Row
  ancestors: { table: TableName; row: Row }[]
}

/** Rows that belong to nothing are left out: the check of the store's file names those. */
export async function* placedBatches(db: Db, table: TableWithId): AsyncGenerator<PlacedRow[]> {
  const path = pathToCollection(table) ?? []
  for await (const batch of readBatches(db, table)) {
    let placed: PlacedRow[] = batch.map((row) => ({ row, ancestors: [] }))
    for (const [column, parent] of path) placed = await addParents(db, placed, column, parent)
    yield placed
  }
}

type Step = [column: string, parent: TableWithId]

function pathToCollection(table: TableWithId): Step[] | undefined {
  if (table === "collection") return []
  for (const [column, parent] of parentsOf(table)) {
    const rest = pathToCollection(parent)
    if (rest !== undefined) return [[column, parent], ...rest]
  }
  return undefined
}

async function addParents(db: Db, placed: PlacedRow[], column: string, table: TableWithId) {
  const parentId = ({ row, ancestors }: PlacedRow) => Number((ancestors.at(-1)?.row ?? row)[column])
  const parents = await rowsById(db, table, new Set(placed.map(parentId)))
  return placed.flatMap((one) => {
    const parent = parents.get(parentId(one))
    return parent === undefined ? [] : [{ ...one, ancestors: [...one.ancestors, { table, row: parent }] }]
  })
}

/** As people know it: `TOKEN in production of shop (id 7)`. */
export function nameOf(table: TableName, { row, ancestors }: PlacedRow): string {
  const places = ancestors.flatMap((ancestor) => ownName(ancestor.table, ancestor.row))
  const place = places.length > 0 ? [`in ${places.join(" of ")}`] : []
  return [...ownName(table, row), ...place, `(id ${row["id"]})`].join(" ")
}

function ownName(table: TableName, row: Row): string[] {
  const { words } = tables[table]
  return words ? [printable(String(row[words.name]))] : []
}
