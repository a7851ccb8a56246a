import type { LogEvent } from "kysely"
import { type Fault, faultOf } from "../db/faults.ts"
import { createDurations } from "./counting.ts"
import { by, counter, type Family, histogram } from "./family.ts"

/** What the database was asked: how long it took and how it failed. Neither statements nor their values are kept. */
export function createQueries(): { log(event: LogEvent): void; families(): Family[] } {
  const durations = createDurations()
  const errors: Record<Fault, number> = {
    duplicate: 0,
    orphan: 0,
    transient: 0,
    unreachable: 0,
    unwritable: 0,
    damaged: 0,
    other: 0,
  }
  return {
    log(event) {
      durations.observe({}, event.queryDurationMillis)
      if (event.level === "error") errors[faultOf(event.error)]++
    },
    families: () => [
      histogram("envkeep_database_query_seconds", "Time the database took for one statement.", durations.samples()),
      counter(
        "envkeep_database_errors_total",
        "Statements that failed, by reason; `duplicate` and `transient` are part of normal work.",
        by("reason", errors),
      ),
    ],
  }
}
