import { once } from "node:events"
import { createServer } from "node:http"
import { prometheusContentType } from "prom-client"
import { cannotListen } from "../cannot-listen.ts"

/** Where the page is served. */
export interface MetricsAddress {
  host: string
  port: number
}

export interface MetricsPage {
  stop(): Promise<void>
}

// The client is a monitoring system that asks again soon, on few connections.
const timeouts = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 72_000 }
const maxConnections = 50

/** Serves `GET /metrics` on a port of its own, and nothing else. */
export async function openMetricsPage(
  { host, port }: MetricsAddress,
  collect: () => Promise<string>,
): Promise<MetricsPage> {
  let running: Promise<string> | undefined
  /** Requests at the same time share one collection. */
  const page = () => {
    running ??= collect().finally(() => {
      running = undefined
    })
    return running
  }
  const server = createServer(timeouts, async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end()
      return
    }
    try {
      const text = await page()
      response.writeHead(200, { "content-type": prometheusContentType, "cache-control": "no-store" }).end(text)
    } catch {
      // The monitoring sees that it failed; the server must not end because of it.
      response.writeHead(500).end()
    }
  })
  server.maxConnections = maxConnections
  try {
    server.listen(port, host)
    await once(server, "listening")
  } catch (error) {
    throw cannotListen(error, { host, port, hostSetting: "ENVKEEP_METRICS_HOST", portSetting: "ENVKEEP_METRICS_PORT" })
  }
  return {
    async stop() {
      const closed = once(server, "close")
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
