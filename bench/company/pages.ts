import type { Db } from "@envkeep/server/db/schema.ts"
import { type CompiledQuery, sql } from "kysely"
import { countsEverything } from "./plans.ts"

/**
 * A statement that reads no more than this takes milliseconds. Up to here the engine may prefer to read a short table as a
 * whole to many lookups in an index, and it is right.
 */
const fewPages = 1_000

export interface Reading {
  statement: string
  small: number
  large: number
  ratio: number
}

type Statements = ReadonlyMap<string, CompiledQuery>

interface Store {
  db: Db
  statements: Statements
}

/**
 * How many pages each statement reads in both stores, as PostgreSQL counts them: a figure that does not depend on what else
 * the machine does. The one that grows most comes first.
 */
export async function pagesOf(stores: Record<"small" | "large", Store>): Promise<Reading[]> {
  const readings: Reading[] = []
  for (const [text, statement] of stores.large.statements) {
    const inSmall = stores.small.statements.get(text)
    if (inSmall === undefined || !/^(select|update|delete|with)/.test(text) || text.includes("pg_")) continue
    if (countsEverything.some((pattern) => pattern.test(text))) continue
    const [small, large] = [await pagesRead(stores.small.db, inSmall), await pagesRead(stores.large.db, statement)]
    if (small === undefined || large === undefined) continue
    readings.push({ statement: text, small, large, ratio: large / Math.max(small, fewPages) })
  }
  return readings.toSorted((a, b) => b.ratio - a.ratio)
}

/** Executes the statement and undoes it. Undefined if what it was about is gone, and it fails. */
async function pagesRead(db: Db, { sql: text, parameters }: CompiledQuery): Promise<number | undefined> {
  const tx = await db.startTransaction().execute()
  try {
    const explain = `explain (analyze, buffers, timing off, format json) ${text}`
    const query = { ...sql`select 1`.compile(tx), sql: explain, parameters } as CompiledQuery<{
      "QUERY PLAN": { Plan: Record<string, number> }[]
    }>
    const { rows } = await tx.executeQuery(query)
    const plan = rows[0]?.["QUERY PLAN"][0]?.Plan
    return (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0)
  } catch {
    return undefined
  } finally {
    await tx.rollback().execute()
  }
}
