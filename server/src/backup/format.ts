import type { ChainHead } from "../audit/encode.ts"
import type { Engine } from "../db/schema.ts"
import { keptTables } from "../db/table-lists.ts"
import type { Row } from "../db/table-rows.ts"
import { type KeptTable, tables } from "../db/tables.ts"

// A backup is text, compressed with gzip: a first line that says what it is, one line for each row as the store has it,
// and a last line with a hash, which shows whether the file was cut short or changed. It is the same for both engines.
// What is sealed in the store is sealed in the backup.

export const formatVersion = 1

export interface Head {
  envkeepBackup: typeof formatVersion
  takenAt: string
  engine: Engine
  /** The migrations that had run on the store, and so what its tables look like. */
  migrations: string[]
  /** The head of the audit trail, if there was one. */
  audit?: ChainHead
}

export type Counts = Partial<Record<KeptTable, number>>

export interface End {
  end: true
  rows: Counts
  /** Of all lines before this one. */
  sha256: string
}

/** What the columns of both engines hold; bytes are in base64. */
type Cell = string | number | null | { base64: string }

export function rowLine(table: KeptTable, row: Row): string {
  // Here and below, not by entries: they would be made and thrown away for each of millions of rows.
  const cells: Record<string, Cell> = {}
  for (const column of Object.keys(row)) cells[column] = cellOf(row[column])
  return `${JSON.stringify([table, cells])}\n`
}

function cellOf(value: unknown): Cell {
  if (value instanceof Uint8Array)
    return { base64: Buffer.from(value.buffer, value.byteOffset, value.length).toString("base64") }
  if (value === null || typeof value === "string" || typeof value === "number") return value
  throw new Error(`a backup cannot hold a ${typeof value}`)
}

export function rowOf(cells: Record<string, Cell>): Row {
  const row: Row = {}
  for (const column of Object.keys(cells)) row[column] = cellValue(cells[column] ?? null)
  return row
}

function cellValue(cell: Cell): string | number | null | Buffer {
  return typeof cell === "object" && cell !== null ? Buffer.from(cell.base64, "base64") : cell
}

/** How many rows there are, as people read it: `2 accounts, 1 collection, … and 3 API keys`. */
export function inWords(rows: Counts): string {
  const parts = keptTables.flatMap((table) => {
    const { words } = tables[table]
    const count = rows[table]
    return words && count !== undefined
      ? [`${count.toLocaleString("en-US")} ${count === 1 ? words.one : words.many}`]
      : []
  })
  const [last = "nothing"] = parts.slice(-1)
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${last}` : last
}
