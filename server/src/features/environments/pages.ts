import type { Reader } from "../../db/schema.ts"
import * as store from "./store.ts"

/** Of one statement, and of what is loaded at a time. */
const collectionsPerPage = 100
const environmentsPerPage = 2_000

/** The next collections of a list by id: so few that together they do not have many environments. */
export async function pageWithEnvironments<Row extends { id: number }>(
  db: Reader,
  read: (count: number) => Promise<Row[]>,
): Promise<{ rows: Row[]; isLast: boolean }> {
  for (let count = collectionsPerPage; ; count = Math.ceil(count / 10)) {
    const rows = await read(count)
    const ids = rows.map((row) => row.id)
    if (count > 1 && (await store.haveMoreEnvironments(db, ids, environmentsPerPage))) continue
    return { rows, isLast: rows.length < count }
  }
}
