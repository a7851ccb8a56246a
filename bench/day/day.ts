import type { Client } from "../client.ts"
import type { Findings } from "../traffic/findings.ts"
import type { Ledger } from "./ledger.ts"
import type { Stage } from "./stage.ts"
import type { Timeline } from "./timeline.ts"

/** What all of the traffic shares. */
export interface Day {
  /** The address of the load balancer. */
  url: string
  /** Reads by key through the load balancer. */
  reads: Client
  /** All other calls through it. */
  calls: Client
  stage: Stage
  ledger: Ledger
  timeline: Timeline
  findings: Findings
  counts: Counts
  isOn(): boolean
}

/** How much there was of each kind of traffic. */
export type Counts = Record<(typeof needed)[number] | (typeof welcome)[number], number>

/** Traffic that must have been there, or the run says nothing. */
export const needed = [
  "reads",
  "staleReads",
  "refusedCalls",
  "personCalls",
  "commandReads",
  "commandWrites",
  "watcherUpdates",
  "webhookMessages",
] as const
/** Tries that ended without a word whether they were carried out, which were made again, and messages that came twice. */
const welcome = ["unknownWrites", "repeatedMessages"] as const

export const noCounts = () => Object.fromEntries([...needed, ...welcome].map((kind) => [kind, 0])) as Counts
