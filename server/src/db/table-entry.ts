export interface Table<Column extends string, Parent extends string> {
  /**
   * `never reused`: an id is not given twice, not even after a delete, because seals and readers rely on it.
   * An item that a restore brings back is the same one, and gets its own.
   * `single row`: there is at most one row. `none`: the table has no id.
   */
  ids: "never reused" | "single row" | "none"
  /** False where old rows would do harm or say nothing. */
  inBackup: boolean
  /** The table that each of these columns refers to by id. */
  parents?: ByColumn<Column, Parent>
  /** Numbers that a row counts up by itself, and that must never appear again with other content. */
  counters?: readonly Column[]
  sealed?: ByColumn<Column, Seal<Column>>
  /** `past`: when something was written. `future`: when something is due. */
  times?: ByColumn<Column, "past" | "future">
  /**
   * For tables with thousands of rows. The trash deletes those of an environment or a collection in batches, before the thing
   * itself. `log`: rows are only ever added, and its times have no index, so the doctor looks for new times at its end.
   */
  growth?: "many rows" | "log"
  /**
   * For tables that count as stored by the owner of their collection: each row does, with as many rows and bytes as these
   * columns say. Who adds or deletes a row says so with `notes.grow`.
   */
  quota?: { rows?: readonly Column[]; bytes?: readonly Column[] }
  /** What people call the rows, and the column by which they know one. Rows without words are not counted for them. */
  words?: { one: string; many: string; name: Column }
}

/** How a column is sealed, and so how the doctor opens it. */
export interface Seal<Column extends string = string> {
  by: "root key" | "collection key"
  /** What is bound into the seal, so that it opens in its own row only. */
  context: readonly (string | { column: Column })[]
  /** The column with the hash of what is sealed. */
  hash?: Column
  /** What the doctor says about a damaged row. Without these it gives the table and the id. */
  doesNotOpen?(row: string): string
  doesNotMatchHash?(row: string): string
}

type ByColumn<Column extends string, Value> = Readonly<
  string extends Column ? Record<string, Value> : Partial<Record<Column, Value>>
>

/** The entry of one table: it may name that table's columns only, and leaves out no sealed column and no time. */
export type Entry<Row, Parent extends string> = Table<keyof Row & string, Parent> &
  Complete<"sealed", ColumnsOfBytes<Row>> &
  Complete<"times", keyof Row & `${string}_at`> &
  // What has no id cannot be read in batches, as a backup does.
  ("id" extends keyof Row ? { ids: "never reused" | "single row" } : { ids: "none"; inBackup: false })

type Complete<Key extends string, Column extends PropertyKey> = [Column] extends [never]
  ? unknown
  : Record<Key, Record<Column, unknown>>

type ColumnsOfBytes<Row> = { [Column in keyof Row]: Uint8Array extends Row[Column] ? Column : never }[keyof Row]
