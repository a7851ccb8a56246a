import type { LogEvent } from "kysely"
import { Histogram, type Registry } from "prom-client"
import { type Fault, faultOf } from "../db/faults.ts"
import { durationBuckets } from "../http/duration-buckets.ts"
import { addCounter } from "./plain-numbers.ts"

/** How long statements took and how they failed. Returns what the query builder tells of each; no text or value is kept. */
export function addQueryMetrics(registry: Registry): (event: LogEvent) => void {
  const durations = new Histogram({
    name: "envkeep_database_query_seconds",
    help: "Time the database took for one statement.",
    buckets: durationBuckets,
    registers: [registry],
  })
  const errors: Record<Fault, number> = {
    duplicate: 0,
    orphan: 0,
    transient: 0,
    unreachable: 0,
    unwritable: 0,
    damaged: 0,
    other: 0,
  }
  addCounter(registry, {
    name: "envkeep_database_errors_total",
    help: "Statements that failed, by reason; `duplicate` and `transient` are part of normal work.",
    label: "reason",
    read: () => errors,
  })
  return (event) => {
    durations.observe(event.queryDurationMillis / 1000)
    if (event.level === "error") errors[faultOf(event.error)]++
  }
}
