import type { LogEvent } from "kysely"
import type { Family } from "./family.ts"
import { processMetrics, type Vitals } from "./process.ts"
import { createQueries } from "./queries.ts"

export type Source = () => Family[] | Promise<Family[]>

/** Everything that one process counts. */
export interface Metrics {
  /** Told of each statement by the query builder. */
  logQuery(event: LogEvent): void
  add(source: Source): void
  collect(): Promise<Family[]>
}

export function createMetrics(vitals: Vitals): Metrics {
  const queries = createQueries()
  const sources: Source[] = [processMetrics(vitals), queries.families]
  return {
    logQuery: queries.log,
    add: (source) => void sources.push(source),
    collect: async () => (await Promise.all(sources.map((source) => source()))).flat(),
  }
}
