import type { Config } from "../config.ts"
import { metricsOverWorkers } from "../metrics/over-workers.ts"
import { openMetricsPage } from "../metrics/page.ts"
import { processMetrics, type Vitals } from "../metrics/process.ts"
import type { RunningServer } from "./running-server.ts"
import { startWorkers } from "./workers.ts"

/** The primary process of several: it serves the metrics, and starts and stops the workers that serve the port. */
export async function startPrimary(
  config: Config,
  vitals: Vitals,
): Promise<RunningServer & { started: Promise<void> }> {
  // Before the workers, so that a metrics port that is taken is found before anything is served.
  const page = config.metrics && (await openMetricsPage(config.metrics, metricsOverWorkers(processMetrics(vitals))))
  const workers = startWorkers(config.workers)
  return {
    started: workers.started,
    async stop(how) {
      await workers.stop(how)
      await page?.stop()
    },
  }
}
