import { limits } from "@envkeep/contract"

/** How a name matches, best first: it is equal, it begins with what is sought, it contains it. */
export const ranks = { equal: 0, begins: 1, contains: 2 } as const
export type Rank = (typeof ranks)[keyof typeof ranks]

interface Match<Row> {
  rank: Rank
  folded: string
  row: Row
}

/** Counts what was found and keeps the best of it. What matches equally well is sorted by name, then as it was added. */
export interface Best<Row> {
  /** Counts one. True if it is among the best so far, and is to be kept. */
  counts(rank: Rank, folded: string): boolean
  keep(rank: Rank, folded: string, row: Row): void
  result(): { total: number; best: Row[] }
}

export function startBest<Row>(): Best<Row> {
  const best: Match<Row>[] = []
  let total = 0
  return {
    counts(rank, folded) {
      total++
      const last = best[limits.foundPerKind - 1]
      return last === undefined || isBetter(rank, folded, last)
    },
    keep(rank, folded, row) {
      const at = best.findIndex((other) => isBetter(rank, folded, other))
      best.splice(at === -1 ? best.length : at, 0, { rank, folded, row })
      if (best.length > limits.foundPerKind) best.pop()
    },
    result: () => ({ total, best: best.map(({ row }) => row) }),
  }
}

function isBetter(rank: Rank, folded: string, other: Match<unknown>): boolean {
  return rank === other.rank ? folded < other.folded : rank < other.rank
}
