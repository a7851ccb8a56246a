import type { Generated } from "kysely"
import type { Entry, Seal, Table as TableEntry } from "./table-entry.ts"

// The one list of tables: first their columns, for the queries, then what backup, restore, doctor and the checks on
// migrations must know. So a new table is a migration and its two places here, a new column is a migration and its line
// here. The compiler names a table, a sealed column or a time that is missing.

/** The tables, the same on both engines. Times are milliseconds since 1970; flags are 0 or 1. */
export interface Schema {
  user: {
    id: Generated<number>
    username: string
    email: string
    /** The e-mail in a form that ignores case. No two accounts share one. */
    email_key: string
    password_hash: string
    is_admin: number
    created_at: number
    /** What the account stores: `db/stored-bytes.ts`. */
    stored_bytes: Generated<number>
    /** Null if the account may be used. */
    disabled_at: Generated<number | null>
  }
  session: {
    id: Generated<number>
    user_id: number
    token_hash: string
    created_at: number
    seen_at: number
  }
  /** The newest link of an account to set a new password. Its row stays for a while after it was used or has expired. */
  password_reset: {
    user_id: number
    token_hash: string
    expires_at: number
    used_at: number | null
  }
  collection: {
    id: Generated<number>
    owner_id: number
    name: string
    description: string
    /** The collection's own key, wrapped under the root key. */
    data_key: Uint8Array
    /** When its name or description changed or an environment was deleted. Null if not since this is recorded. */
    changed_at: Generated<number | null>
    /** When it was moved to the trash. Null if it is not there, 0 once it is being deleted forever. */
    trashed_at: Generated<number | null>
    /** The username at that time. */
    trashed_by: Generated<string | null>
  }
  environment: {
    id: Generated<number>
    collection_id: number
    name: string
    revision: number
    /** Updated by every write to the items, under a lock on this row. */
    item_count: number
    /** The total size of the sealed values, updated like the count. */
    sealed_bytes: number
    /** When `revision` last went up. Null if not since this is recorded. */
    changed_at: Generated<number | null>
    /** What its superseded values take, updated like the count. */
    history_bytes: Generated<number>
    /** The first revision that is kept whole. Earlier ones have only what is left of them in later states. */
    history_from: Generated<number>
    /** As for a collection. The environments of a collection in the trash keep their own. */
    trashed_at: Generated<number | null>
    trashed_by: Generated<string | null>
    /** Its name. In the trash, `name` holds one that no environment can have, so that the name is free. */
    trashed_name: Generated<string | null>
  }
  item: {
    id: Generated<number>
    environment_id: number
    name: string
    sealed_value: Uint8Array
    /** That wrote it last. 1 if this was before the history began. */
    revision: Generated<number>
  }
  /** One row for each change of an environment's name or items. */
  revision: {
    id: Generated<number>
    environment_id: number
    number: number
    created_at: number
    action: string
    /** `user` or `server`. The account may be deleted since, so the name is kept, and the id refers to nothing. */
    actor: string
    actor_id: Generated<number | null>
    actor_name: string
    note: string
    added: number
    changed: number
    removed: number
    /** The revision that was restored. */
    source: Generated<number | null>
  }
  /** What a revision wrote: a value, sealed like the item's own, or nothing, if the name was removed or the value erased. */
  item_version: {
    id: Generated<number>
    environment_id: number
    revision: number
    name: string
    sealed_value: Uint8Array | null
    /** By which items are sorted. The item may be gone. */
    item_id: number
    /** If the item had another name before. */
    previous_name: Generated<string | null>
    erased_at: Generated<number | null>
    erased_by: Generated<string | null>
  }
  api_key: {
    id: Generated<number>
    environment_id: number
    name: string
    key_hash: string
    sealed_key: Uint8Array
    created_at: number
    /** Accurate to the minute: a job writes it for all keys together. */
    last_used_at: Generated<number | null>
    /** The program that used it, as it calls itself. */
    last_used_by: Generated<string | null>
  }
  product: {
    id: Generated<number>
    name: string
    description: string
    type: string
    category: string
  }
  subscription: {
    id: Generated<number>
    user_id: number
    product_id: number
    created_at: number
  }
  /** Counts password guesses and registrations across nodes and restarts. */
  attempt: {
    bucket: string
    count: number
    resets_at: number
  }
  /** One row, sealed under the root key: shows whether a root key is wrong or the data is damaged. */
  canary: {
    id: number
    sealed: Uint8Array
  }
  /** What happened: who did what, when, from where. Refers to nothing, because it stays when its subject is deleted. */
  audit_event: {
    id: Generated<number>
    created_at: number
    action: string
    /** `user`, `guest`, `key` or `server`, with id and name at that time. */
    actor: string
    actor_id: number | null
    actor_name: string
    /** The account that it happened to. */
    account_id: number | null
    account_name: string
    /** The network that the call came from; empty for the server itself. */
    address: string
    client: string
    collection_id: number | null
    collection_name: string
    environment_id: number | null
    environment_name: string
    api_key_id: number | null
    api_key_name: string
    /** JSON: names of items and counts, never a value. */
    details: string
    /** Its place in the chain and what proves it. Null until a job has chained it. */
    position: Generated<number | null>
    mac: Generated<string | null>
  }
  /** One row: where the chain of events begins and ends, signed with the chain's own key (`audit/chain.ts`). */
  audit_chain: {
    id: number
    /** The chain's key, wrapped under the root key. */
    sealed_key: Uint8Array
    position: number
    mac: string
    /** The newest event that was cut off because it was too old. 0 if none was. */
    start_position: number
    start_mac: string
    signature: string
  }
  /** How often a key was used from a network in an hour. The names are those of that time; refers to nothing. */
  key_read: {
    id: Generated<number>
    api_key_id: number
    api_key_name: string
    environment_id: number
    collection_id: number
    address: string
    hour_at: number
    last_at: number
    reads: number
    client: string
  }
  /** One row while the root key is being replaced: each of the two keys, sealed under the other. */
  root_key_bridge: {
    id: number
    next: Uint8Array
    previous: Uint8Array
    begun_at: number
  }
}

export type TableName = keyof Schema | "migration"

/** What can be referred to, and read in batches. */
export type TableWithId = { [Name in keyof Schema]: "id" extends keyof Schema[Name] ? Name : never }[keyof Schema]

export type RowOf<Name extends TableName> = Name extends keyof Schema
  ? Schema[Name]
  : { name: string; applied_at: number }

export type Table = TableEntry<string, TableWithId>

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
    times: { created_at: "past", disabled_at: "past" },
    words: { one: "account", many: "accounts", name: "username" },
  },
  // Not in a backup: a session that was ended since must not become valid again.
  session: {
    ids: "never reused",
    inBackup: false,
    parents: { user_id: "user" },
    times: { created_at: "past", seen_at: "past" },
  },
  // Not in a backup: a link that was used or replaced since must not become valid again.
  password_reset: {
    ids: "none",
    inBackup: false,
    parents: { user_id: "user" },
    times: { expires_at: "future", used_at: "past" },
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
    times: { changed_at: "past", trashed_at: "past" },
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
    times: { changed_at: "past", trashed_at: "past" },
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
  revision: {
    ids: "never reused",
    inBackup: true,
    parents: { environment_id: "environment" },
    times: { created_at: "past" },
  },
  item_version: {
    ids: "never reused",
    inBackup: true,
    parents: { environment_id: "environment" },
    sealed: {
      sealed_value: {
        by: "collection key",
        context: inEnvironment("item"),
        doesNotOpen: (row) =>
          `The version ${row} does not open: it cannot be restored; other versions are not affected`,
      },
    },
    times: { erased_at: "past" },
    words: { one: "version", many: "versions", name: "name" },
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
  audit_event: { ids: "never reused", inBackup: true, times: { created_at: "past" } },
  // `audit/verify.ts` opens it.
  audit_chain: {
    ids: "single row",
    inBackup: true,
    sealed: { sealed_key: { by: "root key", context: ["audit chain"] } },
  },
  key_read: { ids: "never reused", inBackup: true, times: { hour_at: "past", last_at: "past" } },
  // Not in a backup as rows: its first line says which migrations have run.
  migration: { ids: "none", inBackup: false, times: { applied_at: "past" } },
} as const satisfies { [Name in TableName]: Entry<RowOf<Name>, TableWithId> }

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
