import { AggregatorRegistry, type Registry } from "prom-client"
import { sharedAggregator } from "./plain-numbers.ts"

/** The metrics of one process, as prom-client hands them out. */
export type MetricsJson = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>

export interface Report {
  /** The label of its gauges. Without it they are left out, since the process may no longer run; its counts stay. */
  worker: string | undefined
  metrics: MetricsJson
}

/** Counters and histograms of all processes are summed; gauges are shown for each process, unless all answer alike. */
export function mergeReports(reports: Report[]): Registry {
  const labelled = reports.map(({ worker, metrics }) => metrics.map((metric) => labelGauge(metric, worker)))
  return AggregatorRegistry.aggregate(labelled)
}

/** What prom-client lacks: it can sum gauges or take one of them, but not tell the workers apart. */
function labelGauge(metric: MetricsJson[number], worker: string | undefined): MetricsJson[number] {
  // Declared as a number, but a word.
  if (String(metric.type) !== "gauge") return metric
  if (worker === undefined) return { ...metric, values: [] }
  if (metric.aggregator === sharedAggregator) return metric
  return { ...metric, values: metric.values.map(({ value, labels }) => ({ value, labels: { worker, ...labels } })) }
}
