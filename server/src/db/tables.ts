import type { Db } from "./schema.ts"
import type { Entry, Seal, Table, TableName, TableWithId } from "./table-entry.ts"

// The one list of tables. Backup, restore, doctor and the checks on migrations derive from it, so a new table is a
// migration, a type in `Schema` and an entry here. The compiler names a table, a sealed column or a time that is missing.

const inEnvironment = (kind: string) => [kind, { column: "environment_id" }, { column: "name" }] as const

const manifest = {
  // These two tell which root key is the store's own. `doctor/keys.ts` opens them.
  canary: {
    ids: "single row",
    inBackup: true,
    sealed: { sealed: { by: "root key", context: ["canary"] } },
  },
  root_key_bridge: {
    ids: "single row",
    inBackup: true,
    sealed: {
      next: { by: "root key", context: ["root key", "next"] },
      previous: { by: "root key", context: ["root key", "previous"] },
    },
    times: { begun_at: "past" },
  },
  user: {
    ids: "never reused",
    inBackup: true,
    times: { created_at: "past" },
    words: { one: "account", many: "accounts", name: "username" },
  },
  // Not in a backup: a session that was ended since must not become valid again.
  session: {
    ids: "never reused",
    inBackup: false,
    parents: { user_id: "user" },
    times: { created_at: "past", seen_at: "past" },
  },
  // Not in a backup: guesses are counted for minutes.
  attempt: { ids: "none", inBackup: false, times: { resets_at: "future" } },
  product: { ids: "never reused", inBackup: true },
  subscription: {
    ids: "never reused",
    inBackup: true,
    parents: { user_id: "user", product_id: "product" },
    times: { created_at: "past" },
  },
  collection: {
    ids: "never reused",
    inBackup: true,
    parents: { owner_id: "user" },
    sealed: {
      data_key: {
        by: "root key",
        context: ["collection", { column: "id" }],
        doesNotOpen: (row) =>
          `The key of the collection ${row} does not open, and with it none of its values: restore a backup`,
      },
    },
    words: { one: "collection", many: "collections", name: "name" },
  },
  environment: {
    ids: "never reused",
    inBackup: true,
    parents: { collection_id: "collection" },
    counters: ["revision"],
    words: { one: "environment", many: "environments", name: "name" },
  },
  item: {
    ids: "never reused",
    inBackup: true,
    parents: { environment_id: "environment" },
    sealed: {
      sealed_value: {
        by: "collection key",
        context: inEnvironment("item"),
        doesNotOpen: (row) => `The item ${row} does not open: set its value again, or delete it`,
      },
    },
    words: { one: "item", many: "items", name: "name" },
  },
  api_key: {
    ids: "never reused",
    inBackup: true,
    parents: { environment_id: "environment" },
    sealed: {
      sealed_key: {
        by: "collection key",
        context: inEnvironment("api-key"),
        hash: "key_hash",
        doesNotOpen: (row) => `The API key ${row} does not open: it works, but cannot be shown; make a new one`,
        doesNotMatchHash: (row) => `The API key ${row} is not the one that works: make a new one`,
      },
    },
    times: { created_at: "past", last_used_at: "past" },
    words: { one: "API key", many: "API keys", name: "name" },
  },
  // Not in a backup as rows: its first line says which migrations have run.
  migration: { ids: "none", inBackup: false, times: { applied_at: "past" } },
} as const satisfies { [Name in TableName]: Entry<Name> }

export const tables: Readonly<Record<TableName, Table>> = manifest

type Having<Key extends "ids" | "inBackup", Value> = {
  [Name in TableName]: (typeof manifest)[Name][Key] extends Value ? Name : never
}[TableName]

export type KeptTable = Having<"inBackup", true>
export type NumberedTable = Having<"ids", "never reused">

/** Parents come before their children, so rows can be restored in this order. */
const tableOrder = parentsFirst()

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

/** What a row refers to, by the column that does. */
export function parentsOf(name: TableName): Map<string, TableWithId> {
  return new Map(Object.entries(tables[name].parents ?? {}))
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
