import { milliseconds, type Section, times } from "./report.ts"
import { compare, medianOf } from "./turns.ts"

interface Contest {
  turns: number
  /** How many single calls one turn takes. */
  calls: number
  first: () => Promise<number>
  second: () => Promise<number>
  /** How many times as much the second one returns. */
  growth?: number
}

/** Adds a row: how long two calls take, and how many times as long the second one does for what it returns. */
export async function addTimes(section: Section, where: string, contest: Contest): Promise<number> {
  const { turns, calls, first, second, growth = 1 } = contest
  const found = await compare(
    turns,
    () => medianOf(calls, first),
    () => medianOf(calls, second),
  )
  const ratio = found.ratio / growth
  section.rows.push([where, milliseconds(found.first), milliseconds(found.second), times(ratio)])
  return ratio
}
