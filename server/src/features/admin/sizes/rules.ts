import type { SizedKind, Sizes } from "@envkeep/contract"
import { readBatches } from "../../../bounds/batches.ts"
import type { Core } from "../../../core/core.ts"
import type { Reader } from "../../../db/schema.ts"
import { allAccounts, withOwned } from "../../accounts/rules.ts"
import * as store from "./store.ts"

const rowsPerBatch = 1_000
const largestCount = 10

type Distribution = Sizes["distributions"][number]
type Measure = Distribution["measure"]

/** The highest number of each range but the last, which has no end. */
const rangeEnds: Record<Measure, readonly number[]> = {
  environments: [0, 3, 10, 30, 100],
  items: [0, 10, 100, 1_000],
  bytes: [0, 10_000, 100_000, 1_000_000, 10_000_000],
}

export async function sizes({ db }: Core, kind: SizedKind): Promise<Sizes> {
  if (kind === "subscriptions") {
    return { distributions: [], largest: [], products: await store.subscriptionsByProduct(db) }
  }
  const tally = startTally(kind === "collections" ? ["environments", "bytes"] : ["items", "bytes"])
  for await (const rows of rowsOf(db, kind)) tally.add(rows)
  return { distributions: tally.distributions(), largest: await withOwners(db, tally.largest()), products: [] }
}

async function withOwners(db: Reader, rows: readonly store.SizedRow[]): Promise<Sizes["largest"]> {
  const usernames = await store.usernames(
    db,
    rows.map(({ ownerId }) => ownerId),
  )
  return rows.map(({ ownerId, ...row }) => ({
    ...row,
    owner: { id: ownerId, username: usernames.get(ownerId) ?? "" },
  }))
}

function rowsOf(db: Reader, kind: Exclude<SizedKind, "subscriptions">): AsyncIterable<store.SizedRow[]> {
  if (kind === "items") return accountsWithItems(db)
  const read = kind === "collections" ? store.collectionsAfter : store.environmentsAfter
  return readBatches(rowsPerBatch, (last: store.SizedRow | undefined) => read(db, last?.id ?? 0, rowsPerBatch))
}

async function* accountsWithItems(db: Reader): AsyncGenerator<store.SizedRow[]> {
  for await (const accounts of allAccounts(db)) {
    const owning = await withOwned(db, accounts)
    yield owning.map(({ id, items, storedBytes }) => ({
      id,
      ownerId: id,
      environments: null,
      items,
      bytes: Math.max(0, storedBytes),
    }))
  }
}

/** Counts rows into ranges and keeps the largest, so that nothing else of them stays in memory. */
function startTally(measures: readonly Measure[]) {
  const counted = measures.map((measure) => ({ measure, counts: [...rangeEnds[measure], null].map(() => 0) }))
  let largest: store.SizedRow[] = []
  return {
    add(rows: readonly store.SizedRow[]): void {
      for (const row of rows) {
        for (const { measure, counts } of counted) {
          const at = rangeEnds[measure].findIndex((end) => (row[measure] ?? 0) <= end)
          const index = at === -1 ? counts.length - 1 : at
          counts[index] = (counts[index] ?? 0) + 1
        }
      }
      largest = [...largest, ...rows.filter(({ bytes }) => bytes > 0)]
        .sort((one, other) => other.bytes - one.bytes || one.id - other.id)
        .slice(0, largestCount)
    },
    largest: () => largest,
    distributions: (): Distribution[] =>
      counted.map(({ measure, counts }) => ({ measure, ranges: toRanges(rangeEnds[measure], counts) })),
  }
}

function toRanges(ends: readonly number[], counts: readonly number[]): Distribution["ranges"] {
  return counts.map((count, index) => ({
    from: index === 0 ? 0 : (ends[index - 1] ?? 0) + 1,
    to: ends[index] ?? null,
    count,
  }))
}
