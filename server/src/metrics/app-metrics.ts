import type { FastifyInstance } from "fastify"
import type { Registry } from "prom-client"
import { keptAttempts, refusalsByLimit } from "../access/attempts/rules.ts"
import type { Core } from "../core/core.ts"
import type { ChangeFeed } from "../db/change-feed.ts"
import type { OpenDatabase } from "../db/open.ts"
import type { Live } from "../features/collections/live.ts"
import type { QuickCounts } from "../features/variables/quick-read.ts"
import type { Reading } from "../features/variables/rules.ts"
import type { Watch } from "../features/variables/watch.ts"
import type { Deliverer } from "../features/webhooks/delivery/deliver.ts"
import { waitingDeliveries } from "../features/webhooks/delivery/prune.ts"
import { countRefusals, measureRequests, type RoutedReads } from "../http/measure.ts"
import type { HttpShares } from "../http/shares.ts"
import { hashing } from "../keys/password.ts"
import { type MailSender, waitingMail } from "../mail/sender.ts"
import { addCounter, addGauge, inTime } from "./plain-numbers.ts"

export interface MeasuredParts {
  store: OpenDatabase
  core: Core
  /** Reads answered before the router, by status. */
  quickCounts: QuickCounts
  feed: ChangeFeed
  reading: Reading
  watch: Watch
  live: Live
  deliverer: Deliverer
  mailSender: MailSender | undefined
  requestsInFlight(): number
  /** Those that came in a crowd and have not begun. */
  requestsToBegin(): number
  shares: HttpShares
}

/** What the server counts. A test makes sure that `docs/self-hosting.md` lists all of it. */
export function addAppMetrics(registry: Registry, app: FastifyInstance, parts: MeasuredParts): void {
  const routedReads = measureRequests(app, registry, () => parts.quickCounts)
  addConnectionMetrics(registry, parts)
  addBoundMetrics(registry, app, parts)
  addReadMetrics(registry, parts, routedReads)
  addDatabaseMetrics(registry, parts)
  addJobMetrics(registry, parts)
  addAttemptMetrics(registry, parts)
  addWebhookMetrics(registry, parts)
  addMailMetrics(registry, parts)
}

function addConnectionMetrics(registry: Registry, { watch, live, requestsInFlight }: MeasuredParts): void {
  addGauge(registry, {
    name: "envkeep_http_requests_in_flight",
    help: "Requests being answered now, watchers and open screens apart.",
    read: () => Math.max(0, requestsInFlight() - watch.size() - live.size()),
  })
  addGauge(registry, {
    name: "envkeep_watchers",
    help: "Clients that watch an environment now.",
    read: () => watch.size(),
  })
  addGauge(registry, {
    name: "envkeep_open_screens",
    help: "Open collections that follow their changes now.",
    read: () => live.size(),
  })
}

function addBoundMetrics(registry: Registry, app: FastifyInstance, { shares, requestsToBegin }: MeasuredParts): void {
  const refusals = countRefusals(app)
  addCounter(registry, {
    name: "envkeep_refusals_total",
    help: "Requests refused because they exceed a bound.",
    label: "bound",
    read: () => refusals,
  })
  addGauge(registry, {
    name: "envkeep_bytes_under_way",
    help: "Bytes of long bodies and of loaded answers that are held for requests in progress.",
    label: "of",
    read: () => ({ bodies: shares.bodyBytes.state().taken, answers: shares.unsentBytes.state().taken }),
  })
  addGauge(registry, {
    name: "envkeep_requests_waiting",
    help: "Requests that wait for their turn, by what they wait for.",
    label: "for",
    read: () => ({
      begin: requestsToBegin(),
      call: shares.userCalls.state().waiting + shares.guestCalls.state().waiting,
      lookup: shares.sessionLookups.state().waiting + shares.keyLookups.state().waiting,
      body: shares.bodyBytes.state().waiting,
      answer: shares.unsentBytes.state().waiting + shares.hugeAnswers.state().waiting,
      password: hashing.state().waiting,
    }),
  })
}

function addReadMetrics(registry: Registry, { reading, quickCounts }: MeasuredParts, routed: RoutedReads): void {
  const { counts, memory } = reading
  addCounter(registry, {
    name: "envkeep_reads_total",
    help: "Reads by API key that were answered, by where the answer came from.",
    label: "from",
    read: () => counts,
  })
  addCounter(registry, {
    name: "envkeep_reads_unchanged_total",
    help: "Reads by API key answered with 304.",
    read: () => quickCounts[304] + routed.unchanged,
  })
  addCounter(registry, {
    name: "envkeep_reads_refused_total",
    help: "Reads refused because the API key is not valid.",
    read: () => routed.refused,
  })
  addGauge(registry, {
    name: "envkeep_memory_environments",
    help: "Environments held in memory for reads.",
    read: () => memory.state().environments,
  })
  addGauge(registry, {
    name: "envkeep_memory_bytes",
    help: "Memory they are counted at.",
    read: () => memory.state().bytes,
  })
  addCounter(registry, {
    name: "envkeep_memory_evictions_total",
    help: "Environments removed from memory for lack of room.",
    read: () => memory.state().evictions,
  })
}

function addDatabaseMetrics(registry: Registry, { store, core, feed }: MeasuredParts): void {
  addGauge(registry, {
    name: "envkeep_database_connections",
    help: "Connections to PostgreSQL, by state.",
    label: "state",
    read() {
      const pool = store.pool()
      return pool && { idle: pool.idle, busy: pool.size - pool.idle }
    },
  })
  addGauge(registry, {
    name: "envkeep_database_waiting",
    help: "Callers that wait for a connection to PostgreSQL.",
    read: () => store.pool()?.waiting,
  })
  addCounter(registry, {
    name: "envkeep_database_connect_failures_total",
    help: "How often connecting to PostgreSQL failed.",
    read: () => store.pool()?.failed,
  })
  addCounter(registry, {
    name: "envkeep_database_retries_total",
    help: "Transactions retried because another one was in their way.",
    read: () => core.counts.transactionRetries,
  })
  addGauge(registry, {
    name: "envkeep_database_hearing",
    help: "1 while changes made elsewhere are heard of; at 0 every read asks the database.",
    read: () => (feed.isInSync() ? 1 : 0),
  })
  addCounter(registry, {
    name: "envkeep_database_hearing_reconnects_total",
    help: "How often the connection that hears of changes was opened again.",
    read: () => feed.reconnects(),
  })
  addCounter(registry, {
    name: "envkeep_database_hearing_not_understood_total",
    help: "Notifications of changes that made no sense. After each, all is read from the database again.",
    read: () => feed.notUnderstood(),
  })
}

function addJobMetrics(registry: Registry, { core }: MeasuredParts): void {
  addCounter(registry, {
    name: "envkeep_job_skipped_rows_total",
    help: "Rows that jobs left out because they failed, by table.",
    label: "table",
    read: () => Object.fromEntries(core.counts.skippedRows),
  })
  addCounter(registry, {
    name: "envkeep_job_failures_total",
    help: "Runs of periodic jobs that failed, by the name of the job.",
    // Not `job`: Prometheus calls so what it scrapes.
    label: "of",
    read: () => Object.fromEntries(core.counts.failedJobs),
  })
}

function addAttemptMetrics(registry: Registry, { core }: MeasuredParts): void {
  addCounter(registry, {
    name: "envkeep_attempts_refused_total",
    help: "Logins, registrations and password changes refused by a limit.",
    label: "limit",
    read: () => refusalsByLimit(core),
  })
  addGauge(registry, {
    name: "envkeep_attempts",
    help: "Rows that the limits are counted in.",
    shared: true,
    read: inTime(() => keptAttempts(core.db)),
  })
}

function addWebhookMetrics(registry: Registry, { core, deliverer }: MeasuredParts): void {
  addCounter(registry, {
    name: "envkeep_webhook_attempts_total",
    help: "Tries to deliver to webhooks, by what came of them.",
    label: "outcome",
    read: () => ({ ...deliverer.counts }),
  })
  addGauge(registry, {
    name: "envkeep_webhook_deliveries_pending",
    help: "Deliveries that wait.",
    shared: true,
    read: inTime(() => waitingDeliveries(core)),
  })
}

/** Without numbers on a server that sends no mail. */
function addMailMetrics(registry: Registry, { core, mailSender }: MeasuredParts): void {
  addCounter(registry, {
    name: "envkeep_mail_attempts_total",
    help: "Tries to send mails, by what came of them.",
    label: "outcome",
    read: () => mailSender && { ...mailSender.counts },
  })
  addGauge(registry, {
    name: "envkeep_mail_pending",
    help: "Mails that wait to be sent.",
    shared: true,
    read: mailSender === undefined ? async () => undefined : inTime(() => waitingMail(core)),
  })
}
