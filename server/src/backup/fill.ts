import { sql } from "kysely"
import { theServer } from "../access/caller.ts"
import { beginChain, chainCameLater, mayBegin } from "../audit/begin.ts"
import { recordEvent } from "../audit/record.ts"
import { recountStoredBytes } from "../core/stored-bytes.ts"
import { engineOf } from "../db/engine.ts"
import { isConstraintViolation } from "../db/faults.ts"
import { migrations } from "../db/migrations/list.ts"
import { apply } from "../db/migrator.ts"
import type { Db } from "../db/schema.ts"
import { tableNames } from "../db/stored-tables.ts"
import { counterColumns, keptTables, numberedTables, ownReferencesOf, parentsOf } from "../db/table-lists.ts"
import { highestOf, type Row } from "../db/table-rows.ts"
import { type KeptTable, type TableName, tables } from "../db/tables.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { bareTables } from "./bare-tables.ts"
import type { Head } from "./format.ts"
import { readBackup } from "./read.ts"
import type { RestoreSource } from "./refusals.ts"
import { writeRows } from "./write-rows.ts"

/**
 * Puts a backup's rows into a place without tables, inside the caller's transaction: first the tables as they were when
 * the backup was taken, then the rows, then the later migrations. `highest` is the highest number that the store it
 * replaces has given. Returns how many rows were left out.
 */
export async function fillStore(
  tx: Db,
  { file, vault }: Pick<RestoreSource, "file" | "vault">,
  highest: number,
): Promise<number> {
  const references: OwnReference[] = []
  const { head, leftOut } = await fillTables(tx, file, references).catch(contradicts(file))
  for (const reference of references) await setReference(tx, reference)
  const applied = await applyWhere(tx, (name) => !head.migrations.includes(name))
  // A later backup without a chain is of a store that had lost it.
  if (chainCameLater(applied) && (await mayBegin(tx, applied))) await beginChain(tx, vault)
  if (engineOf(tx) === "postgres") await learnSizes(tx)
  // Backups of older versions have no counter, and rows may have been left out.
  await recountStoredBytes(tx)
  await continueAbove(tx, Math.max(highest, await highestGiven(tx), Date.now()))
  await addRevisions(tx)
  await recordEvent(tx, { caller: theServer, action: "store.restore", subject: {} })
  return leftOut
}

async function fillTables(tx: Db, file: string, references: OwnReference[]): Promise<{ head: Head; leftOut: number }> {
  const hasItsParents = parentCheck()
  const writer = writeRows(tx)
  let leftOut = 0
  let putBack = async () => {}
  const reading = readBackup(file, {
    async onHead({ migrations: then }) {
      await applyWhere(tx, (name) => then.includes(name))
      if (engineOf(tx) === "postgres") putBack = await bareTables(tx)
    },
    onRow(table, row) {
      if (!hasItsParents(table, row)) {
        leftOut += 1
        return undefined
      }
      return writer.add(table, withoutOwnReferences(table, row, references))
    },
  })
  const { head } = await reading.finally(() => writer.settle())
  await writer.end()
  await putBack()
  return { head, leftOut }
}

/** PostgreSQL takes new tables for small ones, for as long as it has not looked itself. */
async function learnSizes(tx: Db): Promise<void> {
  await sql`analyze ${sql.join(Object.keys(tables).map((name) => sql.table(name)))}`.execute(tx)
}

async function applyWhere(tx: Db, isWanted: (name: string) => boolean): Promise<string[]> {
  const wanted = migrations.filter(({ name }) => isWanted(name))
  await apply(tx, wanted)
  return wanted.map(({ name }) => name)
}

/** A row whose parent is gone was out of reach before the backup too; it must not stop all the others. */
function parentCheck(): (table: KeptTable, row: Row) => boolean {
  const parents = new Map(keptTables.map((table) => [table, [...parentsOf(table)]]))
  const allParents = new Set<TableName>([...parents.values()].flatMap((all) => all.map(([, parent]) => parent)))
  const restored = new Set<string>()
  return (table, row) => {
    const isThere = ([column, parent]: [string, TableName]) =>
      row[column] === null || restored.has(`${parent} ${row[column]}`)
    if (!parents.get(table)?.every(isThere)) return false
    if (allParents.has(table)) restored.add(`${table} ${row["id"]}`)
    return true
  }
}

interface OwnReference {
  table: KeptTable
  column: string
  id: unknown
  to: unknown
}

const ownReferences = new Map(keptTables.map((table) => [table, ownReferencesOf(table)]))

/** What a row refers to in its own table may come after it, so this is set when all rows are there. */
function withoutOwnReferences(table: KeptTable, row: Row, references: OwnReference[]): Row {
  for (const column of ownReferences.get(table) ?? []) {
    if (typeof row[column] !== "number") continue
    references.push({ table, column, id: row["id"], to: row[column] })
    row[column] = null
  }
  return row
}

/** Stays empty if what it refers to is not in the backup. */
async function setReference(tx: Db, { table, column, id, to }: OwnReference): Promise<void> {
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = (select id from ${sql.table(table)} as other where other.id = ${to})
    where id = ${id}`.execute(tx)
}

function contradicts(file: string): (error: unknown) => never {
  return (error) => {
    if (!isConstraintViolation(error)) throw error
    const sentence = `The backup ${file} holds rows that contradict each other. Nothing was restored`
    throw new StartError(exitCodes.failure, sentence)
  }
}

const idColumns = numberedTables.map((table) => ({ table, column: "id" }))

/** The highest id or revision that a store has given. */
export async function highestGiven(db: Db): Promise<number> {
  const highest = await highestOf(db, [...idColumns, ...counterColumns])
  return Math.max(highest, await highestDeleted(db))
}

/** The engine remembers the ids of rows that were deleted. */
async function highestDeleted(db: Db): Promise<number> {
  const stored = await tableNames(db)
  const numbered = numberedTables.filter((table) => stored.has(table))
  // SQLite makes its table of sequences together with the first table that has one.
  if (numbered.length === 0) return 0
  const sequences = sql.join(numbered.map((table) => `${table}_id_seq`))
  const query =
    engineOf(db) === "sqlite"
      ? sql<{ highest: number | null }>`select max(seq) as highest from sqlite_sequence`
      : sql<{ highest: number | null }>`
          select max(last_value) as highest from pg_sequences
          where schemaname = current_schema() and sequencename in (${sequences})`
  const { rows } = await query.execute(db)
  return rows[0]?.highest ?? 0
}

/**
 * Ids and revisions must never be given twice, or a reader could take new content for what it already holds. What was
 * given after the backup was taken may be unknown, so both continue from the current time in milliseconds: no store gives
 * a thousand numbers per second for all of its life.
 */
async function continueAbove(tx: Db, highest: number): Promise<void> {
  for (const { table, column } of counterColumns) {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${highest + 1}`.execute(tx)
  }
  for (const table of numberedTables) {
    if (engineOf(tx) === "sqlite") {
      await sql`delete from sqlite_sequence where name = ${table}`.execute(tx)
      await sql`insert into sqlite_sequence (name, seq) values (${table}, ${highest})`.execute(tx)
    } else {
      await sql`select setval(pg_get_serial_sequence(${`"${table}"`}, 'id'), ${highest})`.execute(tx)
    }
  }
}

/** Every environment has a new revision, which holds what the one before held. */
async function addRevisions(tx: Db): Promise<void> {
  await sql`
    insert into revision
      (environment_id, number, created_at, action, actor, actor_name, note, added, changed, removed, base_id, base_revision)
    select environment.id, environment.revision, ${Date.now()}, 'backup.restore', 'server', '', '', 0, 0, 0, base.id, base.revision
    from environment left join environment as base on base.id = environment.base_id`.execute(tx)
}
