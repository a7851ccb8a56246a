import type { Client } from "../soak/client.ts"
import type { Findings } from "./findings.ts"
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
export interface Counts {
  reads: number
  staleReads: number
  /** Tries that ended without a word whether they were carried out, and those that were refused. Both were made again. */
  unknownWrites: number
  refusedCalls: number
  personCalls: number
  commandReads: number
  commandWrites: number
  watcherUpdates: number
  webhookMessages: number
  repeatedMessages: number
}

export function noCounts(): Counts {
  return {
    reads: 0,
    staleReads: 0,
    unknownWrites: 0,
    refusedCalls: 0,
    personCalls: 0,
    commandReads: 0,
    commandWrites: 0,
    watcherUpdates: 0,
    webhookMessages: 0,
    repeatedMessages: 0,
  }
}
