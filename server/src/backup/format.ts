import type { Engine } from "../db/schema.ts"
import type { Row } from "../db/table-rows.ts"
import { type KeptTable, keptTables, tables } from "../db/tables.ts"

// A backup is text, compressed by gzip: a first line that says what it is, one line for each row as the store holds it,
// and a last line by which a file that was cut short or changed is known. It is the same for both engines. What is sealed
// in the store is sealed in here.

export const formatVersion = 1

export interface Head {
  envkeepBackup: typeof formatVersion
  takenAt: string
  engine: Engine
  /** The migrations the store had behind it: what its tables look like. */
  migrations: string[]
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
  const cells = Object.entries(row).map(([column, value]) => [column, cellOf(value)])
  return `${JSON.stringify([table, Object.fromEntries(cells)])}\n`
}

function cellOf(value: unknown): Cell {
  if (value instanceof Uint8Array)
    return { base64: Buffer.from(value.buffer, value.byteOffset, value.length).toString("base64") }
  if (value === null || typeof value === "string" || typeof value === "number") return value
  throw new Error(`a backup has no form for a ${typeof value}`)
}

export function rowOf(cells: Record<string, Cell>): Row {
  const values = Object.entries(cells).map(([column, cell]) => [column, plainOf(cell)])
  return Object.fromEntries(values)
}

function plainOf(cell: Cell): string | number | null | Buffer {
  return typeof cell === "object" && cell !== null ? Buffer.from(cell.base64, "base64") : cell
}

/** How people are told what a backup holds. */
export function inWords(rows: Counts): string {
  const parts = keptTables.flatMap((table) => {
    const { words } = tables[table]
    const count = rows[table] ?? 0
    return words ? [`${count.toLocaleString("en-US")} ${count === 1 ? words.one : words.many}`] : []
  })
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`
}
