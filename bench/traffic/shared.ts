import type { Client } from "../client.ts"
import type { Ledger } from "./ledger.ts"
import type { Site } from "./people.ts"
import type { Stage } from "./stage.ts"

/** What all of the traffic shares. */
export interface Day extends Site {
  /** The address of the load balancer. */
  url: string
  /** Reads by key through the load balancer. */
  reads: Client
  stage: Stage
  ledger: Ledger
  counts: typeof noCounts
}

/** How much there was of each kind of traffic. */
export const noCounts = {
  reads: 0,
  staleReads: 0,
  refusedCalls: 0,
  personCalls: 0,
  commandReads: 0,
  commandWrites: 0,
  watcherUpdates: 0,
  webhookMessages: 0,
  /** Tries that ended without a word whether they were carried out, which were made again. */
  unknownWrites: 0,
  /** Messages that came twice. */
  repeatedMessages: 0,
}
