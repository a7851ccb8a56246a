import type { Db } from "@envkeep/server/db/schema.ts"
import { tableNames } from "@envkeep/server/db/stored-tables.ts"
import { type CompiledQuery, sql } from "kysely"
import type { Engine } from "../options.ts"

// What statements read, as the engine says. Unlike their times, that does not depend on what else the machine does.

/** Counts of everything, for administrators, once a minute at most by a job: they read all rows of short tables. */
const countsEverything = [
  /^select count\(\*\)/,
  /^select coalesce\(sum\("item_count"\), 0\)/,
  /from "environment" inner join "collection" .* "environments", coalesce\(sum/,
]

const isExplained = (text: string) =>
  /^(select|update|delete|with)/.test(text) &&
  !text.includes("pg_") &&
  !countsEverything.some((pattern) => pattern.test(text))

type Statements = ReadonlyMap<string, CompiledQuery>

interface Store {
  db: Db
  statements: Statements
}

/** What the engine says about a statement. */
async function explain<Row>(db: Db, how: string, { sql: text, parameters }: CompiledQuery): Promise<Row[]> {
  const query = { ...sql`select 1`.compile(db), sql: `${how} ${text}`, parameters } as CompiledQuery<Row>
  return (await db.executeQuery(query)).rows
}

export interface Scan {
  statement: string
  table: string
}

/** More than a company has collections or environments: of those, an engine may read all to join many of them. */
const longTableRows = 25_000

/**
 * The statements that read a whole table that grows with the company, by the plan that the engine makes for it as it is,
 * with the statistics it has. Scanning a short table is right.
 */
export async function scansOf({ db, statements }: Store, engine: Engine): Promise<Scan[]> {
  const long = await longTables(db, engine)
  const scans: Scan[] = []
  for (const statement of [...statements.values()].filter((one) => isExplained(one.sql))) {
    const how = engine === "sqlite" ? "explain query plan" : "explain"
    for (const row of await explain<Record<string, unknown>>(db, how, statement)) {
      const table = scannedBy(engine, String(row["detail"] ?? row["QUERY PLAN"]), statement.sql)
      if (table !== undefined && long.has(table)) scans.push({ statement: statement.sql, table })
    }
  }
  return scans
}

/** A walk along an index that ends with a page is none. SQLite calls that a scan too. */
function scannedBy(engine: Engine, line: string, statement: string): string | undefined {
  const pattern = engine === "sqlite" ? /^SCAN (\w+)( USING)?/ : /Seq Scan on "?(\w+)"?()/
  const [, name, byIndex] = pattern.exec(line) ?? []
  if (name === undefined || (byIndex && / limit /.test(statement))) return undefined
  return new RegExp(`"(\\w+)" as "${name}"`).exec(statement)?.[1] ?? name
}

async function longTables(db: Db, engine: Engine): Promise<Set<string>> {
  const long = new Set<string>()
  for (const table of await tableNames(db)) {
    const query =
      engine === "sqlite"
        ? sql<{ rows: number }>`select max(rowid) as rows from ${sql.table(table)}`
        : sql<{ rows: number }>`select reltuples::bigint as rows from pg_class where oid = ${`"${table}"`}::regclass`
    if (((await query.execute(db)).rows[0]?.rows ?? 0) > longTableRows) long.add(table)
  }
  return long
}

export interface Reading {
  statement: string
  small: number
  large: number
  ratio: number
}

/**
 * A statement that reads no more than this takes milliseconds. Up to here the engine may prefer to read a short table as a
 * whole to many lookups in an index, and it is right.
 */
const fewPages = 1_000

/** How many pages each statement reads in both stores, as PostgreSQL counts them. The one that grows most comes first. */
export async function pagesOf({ small, large }: Record<"small" | "large", Store>): Promise<Reading[]> {
  const readings: Reading[] = []
  for (const [text, statement] of [...large.statements]) {
    const inSmall = small.statements.get(text)
    if (inSmall === undefined || !isExplained(text)) continue
    const [fewer, more] = [await pagesRead(small.db, inSmall), await pagesRead(large.db, statement)]
    if (fewer === undefined || more === undefined) continue
    readings.push({ statement: text, small: fewer, large: more, ratio: more / Math.max(fewer, fewPages) })
  }
  return readings.toSorted((a, b) => b.ratio - a.ratio)
}

type Plan = { "QUERY PLAN": { Plan: Record<string, number> }[] }

/** Executes the statement and undoes it. Undefined if what it was about is gone, and it fails. */
async function pagesRead(db: Db, statement: CompiledQuery): Promise<number | undefined> {
  const tx = await db.startTransaction().execute()
  try {
    const [row] = await explain<Plan>(tx, "explain (analyze, buffers, timing off, format json)", statement)
    const plan = row?.["QUERY PLAN"][0]?.Plan
    return (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0)
  } catch {
    return undefined
  } finally {
    await tx.rollback().execute()
  }
}
