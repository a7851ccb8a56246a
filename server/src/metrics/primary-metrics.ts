import cluster from "node:cluster"
import { Registry } from "prom-client"
import { type MetricsJson, mergeReports, type Report } from "./merge-reports.ts"
import { type MetricsAddress, type MetricsPage, openMetricsPage } from "./page.ts"
import { addCounter, addGauge } from "./plain-numbers.ts"
import { addProcessMetrics, type Vitals } from "./process-metrics.ts"
import { askWorker } from "./worker-reports.ts"

/**
 * In the primary process: one page for all workers. What a worker had counted when it was last asked stays counted after it
 * has ended, so that no total goes backwards.
 */
export function openPrimaryMetrics(address: MetricsAddress, vitals: Vitals): Promise<MetricsPage> {
  const own = new Registry()
  const labels = new Map<number, string>()
  const lastReports = new Map<number, MetricsJson>()
  let ended: Promise<MetricsJson> = Promise.resolve([])
  let exits = 0
  addProcessMetrics(own, vitals)
  addGauge(own, {
    name: "envkeep_workers",
    help: "Processes that serve the port.",
    shared: true,
    read: () => labels.size,
  })
  addCounter(own, {
    name: "envkeep_worker_exits_total",
    help: "Processes that ended and had to be replaced.",
    read: () => exits,
  })
  cluster.on("fork", ({ id }) => void labels.set(id, lowestFree(labels.values())))
  cluster.on("exit", ({ id }) => {
    const last = lastReports.get(id) ?? []
    ended = ended.then((sum) => mergeReports([countsOf(sum), countsOf(last)]).getMetricsAsJSON())
    lastReports.delete(id)
    labels.delete(id)
    exits++
  })

  return openMetricsPage(address, async () => {
    const answered = new Set<number>()
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(
      workers.map(async (worker) => {
        const metrics = await askWorker(worker)
        if (metrics === undefined || !labels.has(worker.id)) return
        lastReports.set(worker.id, metrics)
        answered.add(worker.id)
      }),
    )
    const ownReport = { worker: "0", metrics: await own.getMetricsAsJSON() }
    // Both at the same moment: a worker that ends is in one or the other.
    const running = Array.from(labels, ([id, worker]): Report => {
      return { worker: answered.has(id) ? worker : undefined, metrics: lastReports.get(id) ?? [] }
    })
    const endedCounts = countsOf(await ended)
    return mergeReports([ownReport, endedCounts, ...running]).metrics()
  })
}

const countsOf = (metrics: MetricsJson): Report => ({ worker: undefined, metrics })

/** Labels are reused, so that workers which end and are replaced do not create more and more series. */
function lowestFree(taken: Iterable<string>): string {
  const labels = new Set(taken)
  let label = 1
  while (labels.has(String(label))) label++
  return String(label)
}
