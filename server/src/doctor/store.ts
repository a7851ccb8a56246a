import { sql } from "kysely"
import { type Counts, inWords } from "../backup/format.ts"
import { recountedBytes } from "../core/stored-bytes.ts"
import { engineOf } from "../db/engine.ts"
import { longNameBytesOfItem } from "../db/long-names.ts"
import { migrations } from "../db/migrations/list.ts"
import { alteredMigration, appliedMigrations } from "../db/migrator.ts"
import type { Db } from "../db/schema.ts"
import { databaseBytes } from "../db/store-health.ts"
import { storedColumns, tableNames } from "../db/stored-tables.ts"
import { keptTables, logs, pastTimes, quotaTables } from "../db/table-lists.ts"
import { highestOf } from "../db/table-rows.ts"
import { tables } from "../db/tables.ts"
import { inSnapshot } from "../db/transaction.ts"
import { minuteMs } from "../durations.ts"
import { isoTime } from "../iso-time.ts"
import { exitCodes } from "../start-error.ts"
import { type Finding, fault, firstOf, maxNamed, ok, printable, warning } from "./finding.ts"
import { megabytes } from "./folder.ts"

export async function checkSchema(db: Db): Promise<Finding[]> {
  const applied = await appliedMigrations(db)
  if (applied.length === 0) return [fault("The store has no tables yet: start Envkeep once")]
  const unknown = applied.find((name) => !migrations.some((migration) => migration.name === name))
  if (unknown !== undefined) {
    return [fault(`The schema is of a newer version (${unknown}): start that version`, exitCodes.configuration)]
  }
  const altered = await alteredMigration(db)
  if (altered !== undefined) {
    const sentence = `Another version of the migration ${altered} has changed the store: start that version, or restore a backup`
    return [fault(sentence, exitCodes.configuration)]
  }
  const missing = migrations.filter(({ name }) => !applied.includes(name))
  if (missing.length > 0) {
    return [warning(`The schema is of an older version (${applied.at(-1)}): the next start brings it up to date`)]
  }
  return [ok(`The schema is up to date (${applied.at(-1)})`)]
}

/** What SQLite says about its own file. PostgreSQL looks after its files itself. */
export async function checkIntegrity(db: Db): Promise<Finding[]> {
  if (engineOf(db) === "postgres") {
    return [ok(`PostgreSQL answers; the database takes ${megabytes(await databaseBytes(db))}`)]
  }
  // Damaged is what is so when it is read again: a disk may fail to read once.
  const broken = (await damageOf(db)).length > 0 ? await damageOf(db) : []
  const { orphans, count } = await inSnapshot(db, findOrphans)
  const findings = [
    ...broken.map((line) => fault(`The store's file is damaged: ${line}`, exitCodes.damaged)),
    ...firstOf(
      orphans.map(({ table, rowid }) => `The row ${rowid} of the table ${table} belongs to nothing`),
      count,
      (more) => `${more} more rows belong to nothing`,
    ),
  ]
  return findings.length > 0 ? findings : [ok("The store's file is whole")]
}

async function damageOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(db)
  return rows.map((row) => row.integrity_check).filter((line) => line !== "ok")
}

interface Orphan {
  table: string
  rowid: number
}

/** The first of the rows whose parents are missing, and how many there are. */
async function findOrphans(snapshot: Db): Promise<{ orphans: Orphan[]; count: number }> {
  const { rows: orphans } = await sql<Orphan>`
    select "table", rowid from pragma_foreign_key_check limit ${maxNamed}`.execute(snapshot)
  // A store that has lost many parents has millions of them.
  return { orphans, count: orphans.length < maxNamed ? orphans.length : await countOrphans(snapshot) }
}

async function countOrphans(snapshot: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pragma_foreign_key_check`.execute(
    snapshot,
  )
  return rows[0]?.count ?? 0
}

/** How many rows there are, and whether the counts that environments and accounts keep are right. */
export async function checkCounts(db: Db): Promise<Finding[]> {
  const counts: Counts = {}
  const stored = await tableNames(db)
  for (const table of keptTables.filter((name) => stored.has(name) && tables[name].words !== undefined)) {
    const row = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow()
    counts[table] = Number(row.count)
  }
  // Older versions had no trash. Of what is marked with 0, the items are deleted first, so there the counts are too high.
  const columns = (await storedColumns(db)).get("environment")
  const isKept = columns?.has("trashed_at")
    ? sql`coalesce(environment.trashed_at, 1) <> 0 and coalesce(collection.trashed_at, 1) <> 0`
    : sql`true`
  // Nor did they count long names.
  const nameBytes = columns?.has("counts_names") ? sql`environment.counts_names * ${longNameBytesOfItem}` : sql`0`
  const { rows: wrong } = await sql<{ id: number; name: string; collection: string }>`
    select environment.id, environment.name, collection.name as collection
    from environment
    join collection on collection.id = environment.collection_id
    left join item on item.environment_id = environment.id
    where ${isKept}
    group by environment.id, environment.name, collection.name, environment.item_count, environment.sealed_bytes
    having count(item.id) <> environment.item_count
      or coalesce(sum(length(item.sealed_value) + ${nameBytes}), 0) <> environment.sealed_bytes
    order by environment.id`.execute(db)
  return [
    ok(`The store holds ${inWords(counts)}`),
    ...firstOf(
      wrong.map(
        ({ id, name, collection }) =>
          `The environment ${printable(name)} of ${printable(collection)} (id ${id}) counts its items wrong: save its raw text once`,
      ),
      wrong.length,
      (more) => `${more} more environments count their items wrong`,
    ),
    ...(await checkStoredBytes(db)),
  ]
}

/** Whether each environment that inherits has a base that it can have. */
export async function checkBases(db: Db): Promise<Finding[]> {
  // Older versions had no bases.
  if (!(await storedColumns(db)).get("environment")?.has("base_id")) return []
  const { rows: wrong } = await sql<{ id: number; name: string; collection: string }>`
    select environment.id, environment.name, collection.name as collection
    from environment
    join collection on collection.id = environment.collection_id
    join environment first on first.id = environment.base_id
    left join environment second on second.id = first.base_id
    left join environment third on third.id = second.base_id
    left join environment fourth on fourth.id = third.base_id
    where environment.trashed_at is null
      and (first.collection_id <> environment.collection_id
        or first.trashed_at is not null
        or first.is_protected > environment.is_protected
        or fourth.base_id is not null)
    order by environment.id`.execute(db)
  return firstOf(
    wrong.map(
      ({ id, name, collection }) =>
        `The environment ${printable(name)} of ${printable(collection)} (id ${id}) has a base that it cannot have: choose another one`,
    ),
    wrong.length,
    (more) => `${more} more environments have a base that they cannot have`,
  )
}

async function checkStoredBytes(db: Db): Promise<Finding[]> {
  // Older versions did not count what an account stores, or had no history or descriptions to count.
  const columns = await storedColumns(db)
  const counted = quotaTables.flatMap(({ table, rows = [], bytes = [] }) =>
    [...rows, ...bytes].map((column) => ({ table, column })),
  )
  const needed = [{ table: "user", column: "stored_bytes" }, ...counted]
  if (needed.some(({ table, column }) => !columns.get(table)?.has(column))) return []
  const wrong = await db
    .selectFrom("user")
    .select(["id", "username"])
    .where("stored_bytes", "<>", recountedBytes)
    .orderBy("id")
    .execute()
  return firstOf(
    wrong.map(
      ({ id, username }) =>
        `The account ${printable(username)} (id ${id}) counts what it stores wrong: run \`npm run admin -- recount\``,
    ),
    wrong.length,
    (more) => `${more} more accounts count what they store wrong`,
  )
}

/** Clocks differ by moments. With more than this, sessions and limits go wrong. */
const maxClockSkewMs = 5 * minuteMs

export async function checkClock(db: Db): Promise<Finding[]> {
  const now = Date.now()
  if (engineOf(db) === "postgres") {
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db)
    const apart = Math.abs(now - (rows[0]?.now ?? now))
    if (apart > maxClockSkewMs) {
      return [fault(`The clocks of this machine and of the database are ${Math.round(apart / minuteMs)} minutes apart`)]
    }
  }
  const newest = await newestTime(db)
  if (newest > now + maxClockSkewMs) {
    return [
      fault(
        `The clock says ${isoTime(now)}, but the store was written to at ${isoTime(newest)}: the clock is slow, or was fast`,
      ),
    ]
  }
  return [ok(`The clock says ${isoTime(now)}, which is not before anything stored`)]
}

/** At the end of a log, which has no index on its times. What is erased from a version later has an event. */
const lastRows = 1_000

async function newestTime(db: Db): Promise<number> {
  const stored = await storedColumns(db)
  let newest = await highestOf(
    db,
    pastTimes.filter(({ table }) => !logs.includes(table)),
  )
  for (const { table, column } of pastTimes.filter(({ table }) => logs.includes(table))) {
    if (!stored.get(table)?.has(column)) continue
    const { rows } = await sql<{ at: number | null }>`
      select max(at) as at from (
        select ${sql.ref(column)} as at from ${sql.table(table)} order by id desc limit ${lastRows}) as last`.execute(
      db,
    )
    newest = Math.max(newest, rows[0]?.at ?? 0)
  }
  return newest
}
