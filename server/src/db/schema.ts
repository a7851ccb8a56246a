import type { Kysely } from "kysely"
import type { Schema } from "./columns.ts"

export type { Schema }

export type Engine = "sqlite" | "postgres"

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
