import { pagesFrom } from "../../bounds/batches.ts"
import type { Reader } from "../../db/schema.ts"
import * as store from "./store.ts"

/** Of one statement, and of what is loaded at a time. */
const collectionsPerPage = 100
const environmentsPerPage = 2_000

interface Page<Row> {
  rows: Row[]
  isLast: boolean
}

/** The next collections of a list by id: so few that together they do not have many environments. */
export async function pageWithEnvironments<Row extends { id: number }>(
  db: Reader,
  read: (count: number) => Promise<Row[]>,
): Promise<Page<Row>> {
  for (let count = collectionsPerPage; ; count = Math.ceil(count / 10)) {
    const rows = await read(count)
    const ids = rows.map((row) => row.id)
    if (count > 1 && (await store.haveMoreEnvironments(db, ids, environmentsPerPage))) continue
    return { rows, isLast: rows.length < count }
  }
}

/** All pages of a list by id, each loaded when it is asked for. */
export async function* allPages<Row extends { id: number }>(
  loadAfter: (lastId: number) => Promise<Page<Row>>,
): AsyncGenerator<Row[]> {
  const pages = pagesFrom(0, async (lastId) => {
    const { rows, isLast } = await loadAfter(lastId)
    return { rows, next: isLast ? null : (rows.at(-1)?.id ?? lastId) }
  })
  for await (const { rows } of pages) yield rows
}
