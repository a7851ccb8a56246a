import type { Seal } from "./table-entry.ts"
import { type KeptTable, type NumberedTable, type Table, type TableName, type TableWithId, tables } from "./tables.ts"

// What others need to know of all tables, derived from the manifest.

/** Parents come before their children, so rows can be restored in this order. */
export const tableOrder = parentsFirst()

function parentsFirst(): TableName[] {
  const placed = new Set<TableName>()
  const place = (name: TableName, children: TableName[]) => {
    if (placed.has(name)) return
    if (children.includes(name)) throw new Error(`the table ${name} is its own ancestor`)
    for (const parent of parentsOf(name).values()) place(parent, [...children, name])
    placed.add(name)
  }
  for (const name of Object.keys(tables) as TableName[]) place(name, [])
  return [...placed]
}

/** The other tables that a row refers to, by the column that does. */
export function parentsOf(name: TableName): Map<string, TableWithId> {
  return new Map(Object.entries(tables[name].parents ?? {}).filter(([, parent]) => parent !== name))
}

/** The columns that refer to another row of the same table. It may come later in the order of ids. */
export function ownReferencesOf(name: TableName): string[] {
  return Object.entries(tables[name].parents ?? {}).flatMap(([column, parent]) => (parent === name ? [column] : []))
}

export function sealsOf(name: TableName): Map<string, Seal> {
  return new Map(Object.entries(tables[name].sealed ?? {}))
}

export const keptTables = tableOrder.filter((name): name is KeptTable => tables[name].inBackup)
export const leftOutTables = tableOrder.filter((name) => !tables[name].inBackup)
export const numberedTables = tableOrder.filter((name): name is NumberedTable => tables[name].ids === "never reused")

export interface TableColumn {
  table: TableName
  column: string
}

export const counterColumns = columnsOf(({ counters = [] }) => counters)

export const pastTimes = columnsOf(({ times = {} }) => Object.keys(times).filter((column) => times[column] === "past"))

function columnsOf(pick: (table: Table) => readonly string[]): TableColumn[] {
  return tableOrder.flatMap((table) => pick(tables[table]).map((column) => ({ table, column })))
}

/** Tables whose last rows are the newest ones. */
export const logs = tableOrder.filter((name) => tables[name].growth === "log")

/** From a row up to what it belongs to: a column, and the table whose id it holds. */
export type Path = readonly { column: string; parent: TableWithId }[]

export interface Contents {
  table: TableName
  path: Path
}

/** Tables that can have thousands of rows of one environment or collection. What lies in its environments is not listed again. */
export function contentsOf(owner: "environment" | "collection"): Contents[] {
  return tableOrder.flatMap((table) => {
    const path = tables[table].growth === undefined ? undefined : pathTo(table, owner)
    const isInside = owner === "collection" && pathTo(table, "environment") !== undefined
    return path === undefined || isInside ? [] : [{ table, path }]
  })
}

/** What counts as stored by an account, with how a row belongs to a collection. */
export const quotaTables = tableOrder.flatMap((table) => {
  const { quota } = tables[table]
  const path = table === "collection" ? [] : pathTo(table, "collection")
  return quota === undefined || path === undefined ? [] : [{ table, path, ...quota }]
})

/** The shortest way, if there is one. */
function pathTo(table: TableName, owner: TableWithId): Path | undefined {
  const paths = Array.from(parentsOf(table), ([column, parent]) => {
    const rest = parent === owner ? [] : pathTo(parent, owner)
    return rest && [{ column, parent }, ...rest]
  })
  return paths.filter((path) => path !== undefined).sort((one, other) => one.length - other.length)[0]
}
