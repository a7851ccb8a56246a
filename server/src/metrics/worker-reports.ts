import cluster, { type Worker } from "node:cluster"
import type { MetricsJson } from "./merge-reports.ts"

// How the primary process asks its workers for their metrics. A worker that does not answer in time is left out.

interface Request {
  envkeepMetrics: "request"
  id: number
}

interface Response {
  envkeepMetrics: "response"
  id: number
  metrics: MetricsJson
}

const responseTimeoutMs = 2_000

/** In a worker: answers the primary process. */
export function answerPrimary(collect: () => Promise<MetricsJson>): void {
  const { worker } = cluster
  worker?.on("message", async (message: Request) => {
    if (message?.envkeepMetrics !== "request") return
    // A worker that cannot collect its metrics counts as one that does not answer.
    const metrics = await collect().catch(() => undefined)
    if (metrics === undefined || !worker.isConnected()) return
    const response: Response = { envkeepMetrics: "response", id: message.id, metrics }
    worker.send(response, () => undefined)
  })
}

let requests = 0

/** In the primary process: what a worker has counted, or nothing when it does not answer. */
export function askWorker(worker: Worker): Promise<MetricsJson | undefined> {
  const request: Request = { envkeepMetrics: "request", id: ++requests }
  return new Promise((resolve) => {
    const settle = (metrics?: MetricsJson) => {
      clearTimeout(timer)
      worker.off("message", onMessage)
      worker.off("exit", onExit)
      resolve(metrics)
    }
    const onMessage = (message: Response) => {
      if (message?.envkeepMetrics === "response" && message.id === request.id) settle(message.metrics)
    }
    const onExit = () => settle()
    const timer = setTimeout(settle, responseTimeoutMs)
    worker.on("message", onMessage)
    worker.on("exit", onExit)
    if (worker.isConnected()) worker.send(request, () => undefined)
    else settle()
  })
}
