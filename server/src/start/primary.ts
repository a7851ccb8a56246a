import type { Logger } from "pino"
import type { Config } from "../config.ts"
import type { MetricsPage } from "../metrics/page.ts"
import type { Vitals } from "../metrics/process-metrics.ts"
import type { RunningServer } from "./running-server.ts"
import { startWorkers } from "./workers.ts"

/** The primary process of several: it serves the metrics, and starts and stops the workers that serve the port. */
export async function startPrimary(
  config: Config,
  { vitals, log }: { vitals: Vitals; log: Logger },
): Promise<RunningServer & { started: Promise<void> }> {
  // Before the workers, so that a metrics port that is taken is found before anything is served.
  const page = config.metrics && (await openMetrics(config.metrics, vitals))
  const workers = startWorkers(config.workers, log)
  return {
    started: workers.started,
    async stop(how) {
      await workers.stop(how)
      await page?.stop()
    },
  }
}

async function openMetrics(address: NonNullable<Config["metrics"]>, vitals: Vitals): Promise<MetricsPage> {
  const { openPrimaryMetrics } = await import("../metrics/primary-metrics.ts")
  return openPrimaryMetrics(address, vitals)
}
