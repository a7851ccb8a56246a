import type { Generated, Kysely } from "kysely"

export type Engine = "sqlite" | "postgres"

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
  }
  session: {
    id: Generated<number>
    user_id: number
    token_hash: string
    created_at: number
    seen_at: number
  }
  collection: {
    id: Generated<number>
    owner_id: number
    name: string
    description: string
    /** The collection's own key, wrapped under the root key. */
    data_key: Uint8Array
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
  }
  item: {
    id: Generated<number>
    environment_id: number
    name: string
    sealed_value: Uint8Array
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
  /** One row while the root key is being replaced: each of the two keys, sealed under the other. */
  root_key_bridge: {
    id: number
    next: Uint8Array
    previous: Uint8Array
    begun_at: number
  }
}

export type Db = Kysely<Schema>

/** A database to read from. Features get nothing else, so they cannot write outside `core.change`. */
export type Reader = Pick<Db, "selectFrom" | "getExecutor">

declare const insideDoor: unique symbol

/** A database to write to. Only `core.change` and `core.bookkeep` provide one, and it cannot open a transaction. */
export type Tx = Pick<
  Db,
  "selectFrom" | "insertInto" | "updateTable" | "deleteFrom" | "executeQuery" | "getExecutor"
> & {
  readonly [insideDoor]: true
}
