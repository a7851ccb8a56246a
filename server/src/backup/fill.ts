import { sql } from "kysely"
import { isConstraintViolation } from "../db/faults.ts"
import { apply, migrations } from "../db/migrate.ts"
import type { Db, Engine } from "../db/schema.ts"
import { type KeptTable, keptTables, parentsOf, tableNames } from "../db/tables.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import type { Row } from "./format.ts"
import { readBackup } from "./read.ts"

const pieceSize = 200

/**
 * Puts a backup's rows into a place without tables, inside the caller's transaction: first the tables as they were when
 * it was taken, then the rows, then the migrations that came later. `given` is the highest number that the store it
 * replaces has given to anything. Says how many rows were left out.
 */
export async function fillStore(tx: Db, engine: Engine, file: string, given: number): Promise<number> {
  const belongs = belongsToSomething()
  let leftOut = 0
  let table: KeptTable | undefined
  let waiting: Row[] = []
  const flush = async () => {
    if (table !== undefined && waiting.length > 0) await insert(tx, table, waiting).catch(contradicts(file))
    waiting = []
  }
  const { head } = await readBackup(file, {
    onHead: ({ migrations: then }) =>
      apply(
        tx,
        engine,
        migrations.filter(({ name }) => then.includes(name)),
      ),
    async onRow(of, row) {
      if (!belongs(of, row)) {
        leftOut += 1
        return
      }
      if (of !== table || waiting.length === pieceSize) await flush()
      table = of
      waiting.push(row)
    },
  })
  await flush()
  await apply(
    tx,
    engine,
    migrations.filter(({ name }) => !head.migrations.includes(name)),
  )
  await goOnAbove(tx, engine, Math.max(given, await highestGiven(tx, engine), Date.now()))
  return leftOut
}

/** A row whose parent is gone was out of everybody's reach before; it must not keep all the others from coming back. */
function belongsToSomething(): (table: KeptTable, row: Row) => boolean {
  const parents = new Set(Object.values(parentsOf).flatMap((columns) => Object.values(columns)))
  const seen = new Set<string>()
  return (table, row) => {
    const columns = Object.entries(parentsOf[table] ?? {})
    if (!columns.every(([column, parent]) => seen.has(`${parent} ${row[column]}`))) return false
    if (parents.has(table)) seen.add(`${table} ${row["id"]}`)
    return true
  }
}

function contradicts(file: string): (error: unknown) => never {
  return (error) => {
    if (!isConstraintViolation(error)) throw error
    const sentence = `The backup ${file} holds rows that contradict each other. Nothing was restored`
    throw new StartError(exitCodes.failure, sentence)
  }
}

async function insert(tx: Db, table: KeptTable, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
  await sql`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)}`.execute(tx)
}

const idTables = keptTables.filter((table) => table !== "canary" && table !== "root_key_bridge")

/** The highest id or revision that a store has given. */
export async function highestGiven(db: Db, engine: Engine): Promise<number> {
  const there = await tableNames(db)
  const ids = sql.join(
    idTables
      .filter((table) => there.has(table))
      .map((table) => sql`select coalesce(max(id), 0) as given from ${sql.table(table)}`),
    sql` union all `,
  )
  const { rows } = await sql<{ given: number | null }>`
    select max(given) as given from (
      ${ids} union all select coalesce(max(revision), 0) from environment union all ${countersOf(engine)}
    ) as numbers`.execute(db)
  return rows[0]?.given ?? 0
}

/** What the engine itself remembers, so that ids of rows long deleted count too. */
function countersOf(engine: Engine) {
  if (engine === "sqlite") return sql`select coalesce(max(seq), 0) from sqlite_sequence`
  const counters = idTables.map((table) => `${table}_id_seq`)
  return sql`
    select coalesce(max(last_value), 0) from pg_sequences
    where schemaname = current_schema() and sequencename in (${sql.join(counters)})`
}

/**
 * Ids and revisions must never be given twice, or a reader could take new content for what it holds already. What was
 * given after the backup was taken may be unknown, so both go on from the time of day in milliseconds: no store gives a
 * thousand numbers a second for all of its life.
 */
async function goOnAbove(tx: Db, engine: Engine, given: number): Promise<void> {
  await tx
    .updateTable("environment")
    .set({ revision: given + 1 })
    .execute()
  for (const table of [...idTables, "session"]) {
    if (engine === "sqlite") {
      await sql`delete from sqlite_sequence where name = ${table}`.execute(tx)
      await sql`insert into sqlite_sequence (name, seq) values (${table}, ${given})`.execute(tx)
    } else {
      await sql`select setval(pg_get_serial_sequence(${`"${table}"`}, 'id'), ${given})`.execute(tx)
    }
  }
}
