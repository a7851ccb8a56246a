import { limits } from "@envkeep/contract"
import { compareKeys, type Kind, printCursor, type SortKey } from "./sort-key.ts"

interface Result<Row> {
  key: SortKey
  row: Row
}

/** Counts what was found and keeps the best of it. */
export interface Best<Row> {
  /** `toRow` makes the row if it is among the best so far. */
  add(key: SortKey, toRow: () => Row): void
  result(): { total: number; best: Row[]; next?: string }
}

/** Of what comes after a key, or of all. */
export function startBest<Row>(kind: Kind, after?: SortKey): Best<Row> {
  const kept = keepBest<Row>(after)
  let total = 0
  return {
    add(key, toRow) {
      total++
      kept.add(key, toRow)
    },
    result: () => ({ total, ...resultOf(kind, kept) }),
  }
}

/**
 * The same for names, of which the best are listed once each, with the count of their places. What comes first must be added
 * first, so that a name is listed with its first place.
 */
export function startBestNames<Row extends object>(after?: SortKey): Best<Row & { places: number }> {
  const kept = keepBest<Row & { places: number }>(after)
  /** Those of the collection that comes first. They are listed there, also if that was before `after`. */
  const listedFirst = new Set<string>()
  let total = 0
  return {
    add(key, toRow) {
      total++
      const { name, isElsewhere } = key
      const row = kept.rowOf(name)
      if (row !== undefined) row.places++
      else if (!isElsewhere || !listedFirst.has(name)) {
        kept.add({ ...key, collectionId: 0, environmentId: 0 }, () => ({ ...toRow(), places: 1 }))
      }
      if (!isElsewhere && after !== undefined) listedFirst.add(name)
    },
    result: () => ({ total, ...resultOf("variables", kept) }),
  }
}

/** What was kept once and is no longer among the best, or was not among them, never will be. */
function keepBest<Row>(after: SortKey | undefined) {
  const max = after === undefined ? limits.foundPerKind : limits.foundPerPage
  const results: Result<Row>[] = []
  const rows = new Map<string, Row>()
  let hasMore = false

  function add(key: SortKey, toRow: () => Row): void {
    if (after !== undefined && compareKeys(key, after) <= 0) return
    const last = results[max - 1]
    if (last !== undefined) hasMore = true
    if (last !== undefined && compareKeys(key, last.key) > 0) return
    const at = results.findIndex((other) => compareKeys(key, other.key) < 0)
    const row = toRow()
    results.splice(at === -1 ? results.length : at, 0, { key, row })
    rows.set(key.name, row)
    const dropped = results.length > max ? results.pop() : undefined
    if (dropped !== undefined) rows.delete(dropped.key.name)
  }

  /** Of a name that is kept. */
  const rowOf = (name: string) => rows.get(name)
  return { results, add, rowOf, hasMore: () => hasMore }
}

function resultOf<Row>(kind: Kind, { results, hasMore }: { results: readonly Result<Row>[]; hasMore: () => boolean }) {
  const last = results.at(-1)
  return {
    best: results.map(({ row }) => row),
    ...(hasMore() && last !== undefined && { next: printCursor({ kind, key: last.key }) }),
  }
}
