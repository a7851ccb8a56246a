import type { Generated, Kysely } from "kysely"

export type Engine = "sqlite" | "postgres"

/** The tables, the same on both engines. Times are milliseconds since 1970; flags are 0 or 1. */
export interface Schema {
  user: {
    id: Generated<number>
    username: string
    email: string
    /** The e-mail without regard to case: what makes an account unique. */
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
    /** Kept in step by every write to the items, which all hold the environment's row locked. */
    item_count: number
    /** The size of all sealed values together; kept in step like the count. */
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
    /** To the minute: written for all keys at once, not with each read. */
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
  /** Counts guesses at passwords and registrations, across nodes and restarts. */
  attempt: {
    bucket: string
    count: number
    resets_at: number
  }
  /** One row, sealed under the root key: tells a wrong root key apart from damage. */
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

/** A database to read from. Features hold nothing else, so they cannot write outside `core.change`. */
export type Reader = Pick<Db, "selectFrom" | "getExecutor">

declare const insideDoor: unique symbol

/** A database to write to. Only `core.change` and `core.bookkeep` hand one out, and it can open no transaction of its own. */
export type Tx = Pick<
  Db,
  "selectFrom" | "insertInto" | "updateTable" | "deleteFrom" | "executeQuery" | "getExecutor"
> & {
  readonly [insideDoor]: true
}
