import { variables } from "@envkeep/contract"
import { keptAttempts, refusalsByLimit } from "../access/attempts/rules.ts"
import type { ChangeFeed } from "../db/change-feed.ts"
import type { Core } from "../db/core.ts"
import type { OpenDatabase } from "../db/open.ts"
import type { QuickCounts } from "../features/variables/quick-read.ts"
import type { Reading } from "../features/variables/rules.ts"
import type { Watch } from "../features/variables/watch.ts"
import type { RequestMetrics } from "../http/measure.ts"
import { by, counter, type Family, gauge, histogram, type Sample } from "./family.ts"
import type { Source } from "./metrics.ts"

export interface Measured {
  store: OpenDatabase
  core: Core
  /** Reads answered before the router, by status. */
  quickCounts: QuickCounts
  feed: ChangeFeed
  reading: Reading
  watch: Watch
  http: RequestMetrics
  requestsInFlight(): number
}

/** What the server counts. Each is listed in `docs/self-hosting.md`, which a test holds to be whole. */
export function appMetrics(measured: Measured): Source[] {
  return [
    () => httpMetrics(measured),
    () => readMetrics(measured),
    () => databaseMetrics(measured),
    attemptMetrics(measured),
  ]
}

const readRoute = `/api${variables.read.path}`

function httpMetrics({ http, quickCounts, watch, requestsInFlight }: Measured): Family[] {
  const inFlight = Math.max(0, requestsInFlight() - watch.size())
  return [
    counter("envkeep_http_requests_total", "Requests answered, by route.", allRequests(http, quickCounts)),
    histogram(
      "envkeep_http_request_seconds",
      "Time taken by requests, by kind; not taken of reads that memory answers at once, nor of watchers.",
      http.durations(),
    ),
    gauge("envkeep_http_requests_in_flight", "Requests being answered now, watchers apart.", inFlight),
    gauge("envkeep_watchers", "Clients that watch an environment now.", watch.size()),
  ]
}

/** What memory answers never comes to the router, so it is counted apart and added here. */
function allRequests({ requests }: RequestMetrics, quick: QuickCounts): Sample[] {
  const samples = requests().map((sample) => ({ ...sample }))
  for (const [status, value] of Object.entries(quick)) {
    if (value === 0) continue
    const routed = samples.find(
      ({ labels }) => isRead(labels) && labels["method"] === "GET" && labels["status"] === status,
    )
    if (routed !== undefined) routed.value += value
    else samples.push({ labels: { method: "GET", route: readRoute, status }, value })
  }
  return samples
}

function readMetrics({ http, reading, quickCounts }: Measured): Family[] {
  const held = reading.memory.state()
  const requests = allRequests(http, quickCounts)
  const answered = (status: string) =>
    requests
      .filter(({ labels }) => isRead(labels) && labels["status"] === status)
      .reduce((sum, { value }) => sum + value, 0)
  return [
    counter(
      "envkeep_reads_total",
      "Reads by API key that were answered, by where the answer came from.",
      by("from", reading.counts),
    ),
    counter("envkeep_reads_unchanged_total", "Reads by API key answered with 304.", answered("304")),
    counter("envkeep_reads_refused_total", "Reads refused because the API key is not valid.", answered("401")),
    gauge("envkeep_memory_environments", "Environments held in memory for reads.", held.environments),
    gauge("envkeep_memory_bytes", "Memory they are counted at.", held.bytes),
    counter("envkeep_memory_evictions_total", "Environments that had to go for want of room.", held.evictions),
  ]
}

function databaseMetrics({ store, core, feed }: Measured): Family[] {
  const pool = store.pool()
  const connections = pool && by("state", { idle: pool.idle, busy: pool.size - pool.idle })
  return [
    gauge("envkeep_database_connections", "Connections to PostgreSQL, by state.", connections ?? []),
    gauge("envkeep_database_waiting", "Callers that wait for a connection to PostgreSQL.", pool?.waiting ?? []),
    counter(
      "envkeep_database_connect_failures_total",
      "How often no connection to PostgreSQL could be had.",
      pool?.failed ?? [],
    ),
    counter(
      "envkeep_database_retries_total",
      "Transactions tried again because another was in their way.",
      core.counts.transactionRetries,
    ),
    gauge(
      "envkeep_database_hearing",
      "1 while changes made elsewhere are heard of; at 0 every read asks the database.",
      feed.isInSync() ? 1 : 0,
    ),
    counter("envkeep_database_hearing_reconnects_total", "Connections for hearing made anew.", feed.reconnects()),
  ]
}

const patienceMs = 1_000

function attemptMetrics({ core }: Measured): Source {
  let asking: Promise<number | undefined> | undefined
  return async () => {
    // One question at a time: a database that is away must not be asked ever more.
    asking ??= keptAttempts(core.db)
      .catch(() => undefined)
      .finally(() => {
        asking = undefined
      })
    const kept = await Promise.race([asking, nothingAfter(patienceMs)])
    return [
      counter(
        "envkeep_attempts_refused_total",
        "Logins, registrations and password changes refused by a limit.",
        by("limit", refusalsByLimit(core)),
      ),
      { ...gauge("envkeep_attempts", "Rows that the limits are counted in.", kept ?? []), shared: true },
    ]
  }
}

function nothingAfter(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref()
  })
}

function isRead(labels: Sample["labels"]): boolean {
  return labels["route"] === readRoute
}
