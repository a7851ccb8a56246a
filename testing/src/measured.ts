import type { MeasuredParts } from "@envkeep/server/metrics/app-metrics.ts"
import type { ServerMetrics } from "@envkeep/server/metrics/server-metrics.ts"
import { testApp } from "./app.ts"

/** An app that listens, and the parts of it whose state the metrics show. */
export async function measuredApp(options: Parameters<typeof testApp>[0] = {}) {
  const { promise, resolve } = Promise.withResolvers<MeasuredParts>()
  const metrics: ServerMetrics = {
    logQuery: () => undefined,
    measureApp: (_, parts) => resolve(parts),
    publish: async () => undefined,
  }
  const app = await testApp({ ...options, metrics })
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  return { ...app, url, port: Number(new URL(url).port), parts: await promise }
}
