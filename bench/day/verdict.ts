import { type BudgetName, type Held, hold } from "../budgets.ts"
import type { Findings } from "../traffic/findings.ts"
import { judgeLeaks, judgeMemory, type Leftovers } from "../traffic/leftovers.ts"
import { type Counts, needed } from "./day.ts"

export interface Outcome {
  findings: Pick<Findings, "count" | "lines">
  counts: Counts
  /** How many writes were confirmed. */
  writes: number
  /** The resident bytes of each node since its last start, at even intervals. */
  memory: number[][]
  before: Leftovers
  after: Leftovers
  /** What was done to the servers, and how long it took. */
  events: { name: string; seconds: number }[]
  slowestReadMs: number
  logged: Map<string, number>
}

/** What must hold during the whole run. */
const rules: BudgetName[] = [
  "dayRead",
  "dayFresh",
  "dayStale",
  "dayLost",
  "dayCall",
  "dayWatch",
  "dayWebhook",
  "dayEvent",
]

/**
 * Memory is judged from each node's last start on: a process that was replaced takes its memory with it, and the new one
 * has to warm up first, for which there is the first third of its time.
 */
export function judge({ findings, counts, writes, memory, before, after }: Outcome): Held[] {
  const absent = [...needed.filter((kind) => counts[kind] === 0), ...(writes === 0 ? ["writes"] : [])]
  return [
    hold("absentTraffic", absent.length === 0 ? "a day" : `a day: ${absent.join(", ")}`, absent.length),
    ...rules.map((rule) => hold(rule, "a day", findings.count(rule))),
    ...memory.map((rss, node) => judgeMemory(`a day, node ${node}`, rss)),
    ...judgeLeaks("a day", before, after),
  ]
}
