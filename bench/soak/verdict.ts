import { median } from "../turns.ts"
import type { Held } from "./sample.ts"

export interface Outcome {
  /** Resident bytes over the whole run, at even intervals. */
  rss: number[]
  calls: number
  faults: Map<string, number>
  before: Held
  after: Held
  slowestReadMs: number
  /** The highest number of idle connections, and the number that was wanted. */
  idle: { opened: number; wanted: number }
}

export interface Judgement {
  rule: string
  found: string
  kept: boolean
}

const growth = 1.1
const growthBytes = 16_000_000
const starvedMs = 2_000

/** The first third of the run is for warming up and for the idle connections, so memory is judged by the others. */
export function judge({ rss, calls, faults, before, after, slowestReadMs, idle }: Outcome): Judgement[] {
  const wrong = [...faults.values()].reduce((sum, count) => sum + count, 0)
  return [
    { rule: "memory stays flat", ...judgeMemory(rss) },
    { rule: "no call fails", found: `${wrong} of ${calls} did`, kept: wrong === 0 && calls > 0 },
    {
      rule: "no file handle or socket leaks",
      found: `${before.files} before, ${after.files} after`,
      // Not every system reports it.
      kept: Number.isNaN(after.files) || after.files <= before.files,
    },
    {
      rule: "no database connection leaks",
      found: `${before.connections} before, ${after.connections} after`,
      kept: after.connections <= before.connections,
    },
    {
      rule: "slow clients do not starve others",
      found: `the slowest read of the probe took ${Math.round(slowestReadMs)} ms`,
      kept: slowestReadMs <= starvedMs,
    },
    {
      rule: "idle connections are taken",
      found: `${idle.opened} of ${idle.wanted}`,
      kept: idle.opened >= idle.wanted,
    },
  ]
}

/** Compares the last third of these samples with the second; in the first, the process warms up. */
export function judgeMemory(rss: number[]): Omit<Judgement, "rule"> {
  const third = Math.floor(rss.length / 3)
  const [middle, last] = [median(rss.slice(third, 2 * third)), median(rss.slice(2 * third))]
  return {
    found: `${mb(middle)} in the second third, ${mb(last)} in the last (medians)`,
    kept: last <= middle * growth + growthBytes,
  }
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
