import type { Config } from "../config.ts"
import { isWorker } from "../start/workers.ts"
import type { Metrics } from "./metrics.ts"
import { answerFirstProcess } from "./over-workers.ts"
import { type MetricsPage, openMetricsPage } from "./page.ts"

/** Shows what this process counts: on a page of its own, or as one of several through the first process. */
export async function publishMetrics(config: Config, metrics: Metrics | undefined): Promise<MetricsPage | undefined> {
  if (config.metrics === undefined || metrics === undefined) return undefined
  if (!isWorker) return openMetricsPage(config.metrics, metrics.collect)
  answerFirstProcess(metrics.collect)
  return undefined
}
