import { type Call, calls, users, variables } from "@envkeep/contract"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { createCounts, createDurations } from "../metrics/counting.ts"
import type { Labels, Sample } from "../metrics/family.ts"

/** What a request asks of the server, so that the slow on purpose do not hide the slow by mistake. */
type Kind = "read" | "query" | "write" | "password" | "web" | "probe"

export interface RequestMetrics {
  requests(): Sample[]
  durations(): Sample[]
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
const probes = ["/healthz", "/readyz"]
const documents = ["/api/docs", "/api/openapi.json"]

/** Counts requests by their route as the contract writes it, never by their address, and times them by kind. */
export function measureRequests(app: FastifyInstance): RequestMetrics {
  const kindOf = knownRoutes()
  const counts = createCounts()
  const durations = createDurations()
  app.addHook("onResponse", async (request, reply) => {
    const route = (request.routeOptions.url ?? "").replaceAll(/:(\w+)/g, "{$1}")
    const kind = kindOf.get(`${request.method} ${route}`) ?? kindOf.get(route)
    counts.add(requestLabels(request, reply, kind === undefined ? undefined : route))
    // A stream lasts as long as both sides like, which is no sign of slowness.
    if (route !== `/api${variables.watch.path}`) durations.observe({ kind: kind ?? "web" }, reply.elapsedTime)
  })
  return { requests: counts.samples, durations: durations.samples }
}

function requestLabels(
  { method, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  known: string | undefined,
): Labels {
  // Screens have no routes on the server: what is not found here is found in the browser.
  const isScreen = routeOptions.url === undefined || routeOptions.url === "/"
  const other = isScreen ? (reply.statusCode === 404 ? "none" : "screen") : "file"
  return {
    method: methods.has(method) ? method : "other",
    route: known ?? other,
    status: String(reply.statusCode),
  }
}

function knownRoutes(): Map<string, Kind> {
  const kinds = new Map<string, Kind>()
  for (const route of probes) kinds.set(route, "probe")
  for (const route of documents) kinds.set(route, "web")
  for (const call of Object.values(calls).flatMap((named): Call[] => Object.values(named))) {
    kinds.set(`${call.method} /api${call.path}`, kindOfCall(call))
    if (call.method === "GET") kinds.set(`HEAD /api${call.path}`, kindOfCall(call))
  }
  return kinds
}

function kindOfCall(call: Call): Kind {
  const slowOnPurpose: Call[] = [users.login, users.register, users.changePassword]
  if (slowOnPurpose.includes(call)) return "password"
  if (call.access === "key") return "read"
  return call.method === "GET" ? "query" : "write"
}
