import { type Call, calls, collections, find, invitations, users, variables } from "@envkeep/contract"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { Counter, Histogram, type Registry } from "prom-client"
import { type Bound, BoundError, bounds } from "../bounds/bound-error.ts"
import { durationBuckets } from "./duration-buckets.ts"

/** What a request asks of the server, so that calls which are slow on purpose do not hide those slow by mistake. */
type Kind = "read" | "query" | "write" | "password" | "web" | "probe"

/** Reads by API key that the router answered. */
export interface RoutedReads {
  unchanged: number
  refused: number
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
const probes = ["/healthz", "/readyz"]
const documents = ["/api/docs", "/api/openapi.json"]
const readRoute = `/api${variables.read.path}`
const streamRoutes = [variables.watch, collections.live].map(({ path }) => `/api${path}`)

/**
 * Counts requests by their route as the contract writes it, never by their address, and times them by kind. Reads that
 * memory answers never reach the router: `readsFromMemory` says how many there were of each status.
 */
export function measureRequests(
  app: FastifyInstance,
  registry: Registry,
  readsFromMemory: () => Readonly<Record<200 | 304, number>>,
): RoutedReads {
  const kindOf = knownRoutes()
  const counter = countRequests(registry, readsFromMemory)
  const durations = new Histogram({
    name: "envkeep_http_request_seconds",
    help: "Time taken by requests, by kind; not taken of reads that memory answers at once, nor of watchers and open screens.",
    labelNames: ["kind"],
    buckets: durationBuckets,
    registers: [registry],
  })
  const reads: RoutedReads = { unchanged: 0, refused: 0 }
  app.addHook("onResponse", async (request, reply) => {
    const route = (request.routeOptions.url ?? "").replaceAll(/:(\w+)/g, "{$1}")
    const kind = kindOf.get(`${request.method} ${route}`) ?? kindOf.get(route)
    counter.inc(requestLabels(request, reply, kind === undefined ? undefined : route))
    if (route === readRoute && reply.statusCode === 304) reads.unchanged++
    if (route === readRoute && reply.statusCode === 401) reads.refused++
    // A stream lasts as long as both sides want, which is not a sign of slowness.
    if (!streamRoutes.includes(route)) durations.observe({ kind: kind ?? "web" }, reply.elapsedTime / 1000)
  })
  return reads
}

/** How many requests each bound has refused. */
export function countRefusals(app: FastifyInstance): Readonly<Record<Bound, number>> {
  const refusals = Object.fromEntries(bounds.map((bound) => [bound, 0])) as Record<Bound, number>
  app.addHook("onError", async (_request, _reply, error) => {
    if (error instanceof BoundError) refusals[error.bound]++
  })
  return refusals
}

function countRequests(registry: Registry, readsFromMemory: () => Readonly<Record<200 | 304, number>>) {
  const added = new Map<string, number>()
  return new Counter({
    name: "envkeep_http_requests_total",
    help: "Requests answered, by route.",
    labelNames: ["method", "route", "status"],
    registers: [registry],
    collect() {
      for (const [status, count] of Object.entries(readsFromMemory())) {
        const before = added.get(status) ?? 0
        if (count > before) this.inc({ method: "GET", route: readRoute, status }, count - before)
        added.set(status, count)
      }
    },
  })
}

/** Only what we wrote ourselves may be a label; never a name, an id, a value or an address. */
function requestLabels({ method, routeOptions }: FastifyRequest, reply: FastifyReply, known: string | undefined) {
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
  // What they read by is secret, or can be, so it is in the body.
  const readsByPost: Call[] = [find.byName, invitations.look]
  return call.method === "GET" || readsByPost.includes(call) ? "query" : "write"
}
