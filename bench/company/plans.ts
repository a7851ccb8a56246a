import type { Db } from "@envkeep/server/db/schema.ts"
import { tableNames } from "@envkeep/server/db/stored-tables.ts"
import { type CompiledQuery, sql } from "kysely"
import type { engines } from "../bench.ts"

type Engine = (typeof engines)[number]

/** Counts of everything, for administrators, once a minute at most by a job: they read all rows of short tables. */
export const countsEverything = [
  /^select count\(\*\)/,
  /^select coalesce\(sum\("item_count"\), 0\)/,
  /from "environment" inner join "collection" .* "environments", coalesce\(sum/,
]

export interface Scan {
  statement: string
  table: string
}

/**
 * The statements that read a whole table that grows with the company, by the plan that the engine makes for it as it is,
 * with the statistics it has. Scanning a short table is right, so only those with more than `rows` rows count.
 */
export async function scansOf(
  db: Db,
  engine: Engine,
  { statements, rows }: { statements: readonly CompiledQuery[]; rows: ReadonlyMap<string, number> },
): Promise<Scan[]> {
  const scans: Scan[] = []
  for (const statement of statements) {
    if (countsEverything.some((pattern) => pattern.test(statement.sql))) continue
    for (const line of await planOf(db, engine, statement)) {
      const table = scannedBy(engine, line, statement.sql)
      if (table !== undefined && rows.has(table)) scans.push({ statement: statement.sql, table })
    }
  }
  return scans
}

async function planOf(db: Db, engine: Engine, { sql: text, parameters }: CompiledQuery): Promise<string[]> {
  const explain = engine === "sqlite" ? "explain query plan " : "explain "
  const query = { ...sql`select 1`.compile(db), sql: explain + text, parameters }
  const { rows } = await db.executeQuery<Record<string, unknown>>(query as CompiledQuery<Record<string, unknown>>)
  return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"]))
}

/** A walk along an index that ends with a page is none. SQLite calls that a scan too. */
function scannedBy(engine: Engine, line: string, statement: string): string | undefined {
  const pattern = engine === "sqlite" ? /^SCAN (\w+)( USING)?/ : /Seq Scan on "?(\w+)"?()/
  const [, name, byIndex] = pattern.exec(line) ?? []
  if (name === undefined || (byIndex && / limit /.test(statement))) return undefined
  return new RegExp(`"(\\w+)" as "${name}"`).exec(statement)?.[1] ?? name
}

/** The tables that hold more rows than this, and how many. */
export async function longTables(db: Db, engine: Engine, moreThan: number): Promise<Map<string, number>> {
  const long = new Map<string, number>()
  for (const table of await tableNames(db)) {
    const query =
      engine === "sqlite"
        ? sql<{ rows: number }>`select max(rowid) as rows from ${sql.table(table)}`
        : sql<{ rows: number }>`select reltuples::bigint as rows from pg_class where oid = ${`"${table}"`}::regclass`
    const rows = (await query.execute(db)).rows[0]?.rows ?? 0
    if (rows > moreThan) long.set(table, rows)
  }
  return long
}
