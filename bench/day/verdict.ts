import { type Judgement, judgeMemory } from "../soak/verdict.ts"
import type { Counts } from "./day.ts"
import { type Finding, type Rule, rules } from "./findings.ts"

export interface Outcome {
  findings: Finding[]
  counts: Counts
  /** How many writes were confirmed. */
  writes: number
  /** The resident bytes of each node since its last start, at even intervals. */
  memory: number[][]
  before: Leftovers
  after: Leftovers
  /** What was done to the servers, in seconds since the run began. */
  events: { name: string; from: number; to: number }[]
  slowestReadMs: number
  logged: Map<string, number>
}

interface Leftovers {
  /** Open files and sockets of each node; only Linux reports them. */
  files: number[]
  /** Connections of all nodes to the database. */
  connections: number
}

/** Traffic that must have been there, or the run says nothing. */
const needed: (keyof Counts)[] = [
  "reads",
  "staleReads",
  "refusedCalls",
  "personCalls",
  "commandReads",
  "commandWrites",
  "watcherUpdates",
  "webhookMessages",
]

/**
 * Memory is judged from each node's last start on: a process that was replaced takes its memory with it, and the new one
 * has to warm up first, for which there is the first third of its time.
 */
export function judge({ findings, counts, writes, memory, before, after }: Outcome): Judgement[] {
  const absent = [...needed.filter((kind) => counts[kind] === 0), ...(writes === 0 ? ["writes"] : [])]
  return [
    {
      rule: "there was traffic of every kind",
      found: absent.length === 0 ? `${writes} writes, ${counts.reads} reads` : `none of ${absent.join(", ")}`,
      kept: absent.length === 0,
    },
    ...(Object.keys(rules) as Rule[]).map((rule) => {
      const broken = findings.filter((finding) => finding.rule === rule).length
      return { rule: rules[rule], found: broken === 0 ? "kept" : `broken ${broken} times`, kept: broken === 0 }
    }),
    ...memory.map((rss, node) => ({ rule: `memory of node ${node} stays flat`, ...judgeMemory(rss) })),
    {
      rule: "no file handle or socket leaks",
      found: `${before.files.join(", ")} before, ${after.files.join(", ")} after`,
      // Not every system reports it.
      kept: after.files.every((count, node) => Number.isNaN(count) || count <= (before.files[node] ?? 0)),
    },
    {
      rule: "no database connection leaks",
      found: `${before.connections} before, ${after.connections} after`,
      kept: after.connections <= before.connections,
    },
  ]
}
