import cluster from "node:cluster"
import type { FastifyInstance } from "fastify"
import type { LogEvent } from "kysely"
import { Registry } from "prom-client"
import { addAppMetrics, type MeasuredParts } from "./app-metrics.ts"
import { type MetricsAddress, type MetricsPage, openMetricsPage } from "./page.ts"
import { addProcessMetrics, type Vitals } from "./process-metrics.ts"
import { addQueryMetrics } from "./query-metrics.ts"
import { addStoreMetrics } from "./store-metrics.ts"
import { answerPrimary } from "./worker-reports.ts"

/** Everything that a process which serves requests counts. */
export interface ServerMetrics {
  /** Told of each statement by the query builder. */
  logQuery(event: LogEvent): void
  measureApp(app: FastifyInstance, parts: MeasuredParts): void
  /** Shows the metrics on a page of their own; those of a worker go to the primary process instead. */
  publish(): Promise<MetricsPage | undefined>
}

export function createServerMetrics(
  { address, dataDir }: { address: MetricsAddress; dataDir: string },
  vitals: Vitals,
): ServerMetrics {
  const registry = new Registry()
  addProcessMetrics(registry, vitals)
  return {
    logQuery: addQueryMetrics(registry),
    measureApp(app, parts) {
      addAppMetrics(registry, app, parts)
      addStoreMetrics(registry, { db: parts.core.db, dataDir })
    },
    async publish() {
      if (!cluster.isWorker) return openMetricsPage(address, () => registry.metrics())
      answerPrimary(() => registry.getMetricsAsJSON())
      return undefined
    },
  }
}
