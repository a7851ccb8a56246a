import { calls, callsWithMail } from "@envkeep/contract"
import fastifyCookie from "@fastify/cookie"
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify"
import type { Config } from "./config.ts"
import type { Core } from "./core/core.ts"
import type { OpenDatabase } from "./db/open.ts"
import { accountRoutes } from "./features/accounts/routes.ts"
import { activityRoutes } from "./features/activity/routes.ts"
import { adminRoutes } from "./features/admin/routes.ts"
import { cliLoginRoutes } from "./features/cli-logins/routes.ts"
import { Live } from "./features/collections/live.ts"
import { collectionRoutes } from "./features/collections/routes.ts"
import { environmentRoutes } from "./features/environments/routes.ts"
import { findRoutes } from "./features/find/routes.ts"
import { createProviderClient, type ProviderClient, type ProviderParts } from "./features/identities/provider.ts"
import { identityRoutes } from "./features/identities/routes.ts"
import { publicProvider } from "./features/identities/rules.ts"
import { instanceRoutes } from "./features/instances/routes.ts"
import { invitationRoutes } from "./features/invitations/routes.ts"
import { memberRoutes } from "./features/members/routes.ts"
import { nameRoutes } from "./features/names/routes.ts"
import { passkeyRoutes } from "./features/passkeys/routes.ts"
import { refuseUnconfirmed } from "./features/second-factors/confirm.ts"
import { signInMinutes } from "./features/second-factors/pending.ts"
import { secondFactorRoutes } from "./features/second-factors/routes.ts"
import { claimedTeamRoutes } from "./features/teams/claims/routes.ts"
import { teamRoutes } from "./features/teams/routes.ts"
import { createTokenUses } from "./features/tokens/last-used.ts"
import { tokenRoutes } from "./features/tokens/routes.ts"
import { identifyByTokenIn, liveTokensIn } from "./features/tokens/rules.ts"
import { trashRoutes } from "./features/trash/routes.ts"
import { answerForgotten } from "./features/users/forgotten/rules.ts"
import { createRefusals, type Refusals } from "./features/users/refusals.ts"
import { userRoutes } from "./features/users/routes.ts"
import { identifyIn, liveSessionsIn, sessionDays } from "./features/users/sessions/rules.ts"
import { answerReads } from "./features/variables/answer.ts"
import { type Following, followChanges } from "./features/variables/follow.ts"
import { quickRead } from "./features/variables/quick-read.ts"
import { variableRoutes } from "./features/variables/routes.ts"
import type { Reading } from "./features/variables/rules.ts"
import { type AddressPolicy, addressPolicy } from "./features/webhooks/delivery/addresses.ts"
import { Deliverer } from "./features/webhooks/delivery/deliver.ts"
import { webhookRoutes } from "./features/webhooks/routes.ts"
import { addressBlock, addressesBehind } from "./http/address.ts"
import { readJsonBodies } from "./http/body.ts"
import { sessionCookies } from "./http/cookies.ts"
import { docsRoutes } from "./http/docs.ts"
import { answerError } from "./http/errors.ts"
import { headersForKeyHolders, sendSecurityHeaders } from "./http/headers.ts"
import { healthRoutes } from "./http/health.ts"
import { requestsInFlight } from "./http/in-flight.ts"
import { createLanes } from "./http/lanes.ts"
import { requestLimit } from "./http/limits.ts"
import { createLog, type LogStream, logRequests } from "./http/log.ts"
import { type Http, isSignedIn } from "./http/route.ts"
import { httpServer, type Timeouts } from "./http/server.ts"
import { serverOptions, trusted } from "./http/server-options.ts"
import { createHttpShares } from "./http/shares.ts"
import { serveWeb } from "./http/static.ts"
import { type AuditJobs, createAuditJobs } from "./jobs/audit-jobs.ts"
import { type StartedJobs, startJobs } from "./jobs/jobs.ts"
import { allJobs } from "./jobs/list.ts"
import { MailSender } from "./mail/sender.ts"
import type { ServerMetrics } from "./metrics/server-metrics.ts"

export interface AppParts {
  store: OpenDatabase
  core: Core
  config: Pick<
    Config,
    | "publicUrl"
    | "trustProxy"
    | "contactUrl"
    | "registration"
    | "requireSecondFactor"
    | "oidc"
    | "historyDays"
    | "trashDays"
    | "auditDays"
    | "staleReadsMs"
    | "webhookAllow"
    | "logLevel"
  >
  /** The folder of the built screens; without one, only the API is served. */
  webDir?: string | undefined
  /** Where the log goes; standard output unless said otherwise. */
  logStream?: LogStream | undefined
  requestsPerMinute?: number
  /** What is counted goes here; without it, nothing is. */
  metrics?: ServerMetrics | undefined
  timeouts?: Timeouts
  /** For each request to a sign-in provider; five unless said otherwise. */
  providerTimeoutSeconds?: number
  /** What delivers webhooks; its own unless said otherwise. */
  deliverer?: Deliverer | undefined
  /** What sends mails; its own unless said otherwise, and none if the server has no mail server. */
  mailSender?: MailSender | undefined
  /** Once true, every answer closes its connection, and a balancer that asks is told to go elsewhere. */
  isStopping?: () => boolean
}

/** What fits the system's own buffers is on its way; only with more than that can a slow reader be cut off. */
const bufferedBytes = 16 * 1024

/** Not decoded: ours contain nothing to decode, and a header can hold thousands that cannot be, each with an exception. */
const cookieOptions = { path: "/", decode: (value: string) => value }

/** The whole server, ready to listen: every feature's routes, then the built screens. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { store, core, config } = parts
  const https = config.publicUrl?.protocol === "https:"
  const log = createLog(config.logLevel, parts.logStream)
  const warn: Warn = (error, what) => log.warn({ err: error }, what)
  const { live, following } = followDatabase(parts, { log, warn })
  const server = createServer(parts, { log, https, reading: following.reading })
  const { app } = server
  await app.register(fastifyCookie, { parseOptions: cookieOptions })

  const tokenUses = createTokenUses(core)
  const http: Http = {
    app,
    cookies: sessionCookies({ https, days: sessionDays, signInMinutes }),
    identify: identifyIn(core, { mode: config.requireSecondFactor, warn }),
    identifyByToken: identifyByTokenIn(core, tokenUses),
    refuseUnconfirmed: (caller, site) => refuseUnconfirmed(core, caller, site),
    limit: requestLimit(parts.requestsPerMinute),
    shares: createHttpShares(),
    publicOrigin: config.publicUrl?.origin,
  }
  const refusals = createRefusals(core, (error) => warn(error, "could not write down a refused login"))
  const policy = addressPolicy(config.webhookAllow)
  const deliverer = parts.deliverer ?? new Deliverer({ core, policy, warn })
  const mailSender = parts.mailSender ?? ownMailSender(core, log)
  accountFeatures(http, parts, { refusals, warn })
  collectionFeatures(http, parts, { live, policy })
  variableRoutes(http, core, { ...following, answerRead: server.answerRead })
  docsRoutes(app, core.mail === undefined ? calls : callsWithMail())
  healthRoutes(app, { hasRightRootKey: () => core.vault.fitsStore(core.db), isStopping: server.isStopping })
  parts.metrics?.measureApp(app, {
    store,
    core,
    ...following,
    live,
    deliverer,
    mailSender,
    quickCounts: server.quickCounts,
    requestsInFlight: server.inFlight.size,
    requestsToBegin: server.lanes.waiting,
    shares: http.shares,
  })

  const audit = createAuditJobs({ db: store.db, core, auditDays: config.auditDays, log })
  const { watch, instances, reading } = following
  const { lastUsed, refusals: keyRefusals } = reading
  const counters = { refusals, lastUsed, keyRefusals, instances, tokenUses }
  const all = allJobs({ core, config, audit, ...counters, watch, live, deliverer, mailSender, log })
  const { failedJobs } = core.counts
  // From the start, so that the metrics show the first failure as a change.
  for (const { name } of all) failedJobs.set(name, 0)
  const jobs = startJobs(all, {
    onOneNode: (name, run) => store.onOneNode(name, run),
    failed({ name }, error) {
      failedJobs.set(name, (failedJobs.get(name) ?? 0) + 1)
      log.warn({ err: error, job: name }, "a job failed; it runs again at its next time")
    },
  })
  endRequestsFirst(server, { following, live })
  const lastWrites = {
    "which keys were used": () => lastUsed.flush(),
    "which instances run": () => instances.flush(),
    "which keys were refused": () => keyRefusals.flush(),
    "which tokens were used": () => tokenUses.flush(),
    "refused logins": () => refusals.close(),
  }
  endWorkLast(app, { jobs, senders: [deliverer, mailSender], lastWrites, audit, warn })
  await serveScreens(http, parts)
  return app
}

type Warn = (error: unknown, what: string) => void
type AppLog = ReturnType<typeof createLog>

/** What hears of changes: memory, watchers and open screens. */
function followDatabase({ store, core, config }: AppParts, { log, warn }: { log: AppLog; warn: Warn }) {
  const live = new Live({
    db: core.db,
    liveSessions: liveSessionsIn(core),
    liveTokens: liveTokensIn(core),
    warn: (error) => warn(error, "could not read what open screens are waiting for; retrying"),
  })
  const following = followChanges({
    core,
    live,
    follow: store.follow,
    staleReadsMs: config.staleReadsMs,
    warn,
    databaseIs: (state) =>
      state === "down"
        ? log.warn(
            "the database is down: reads by key are answered from memory for a while, everything else is refused",
          )
        : log.info("the database is back"),
  })
  return { live, following }
}

interface ServerParts {
  log: AppLog
  https: boolean
  reading: Reading
}

/** Fastify, on a server that answers reads from memory before anything else sees them. */
function createServer({ config, timeouts, isStopping = () => false }: AppParts, { log, https, reading }: ServerParts) {
  const answerRead = answerReads(headersForKeyHolders(https))
  const quickCounts = { 200: 0, 304: 0 }
  const addressOf = addressesBehind(trusted(config.trustProxy))
  const readQuickly = quickRead(reading, { answerRead, addressOf, counts: quickCounts })
  let isQuick = true
  const inFlight = requestsInFlight()
  const lanes = createLanes()

  const app = fastify({
    ...serverOptions({ log, trustProxy: config.trustProxy, https }),
    serverFactory: (handler) =>
      httpServer(timeouts, (request, response) => {
        if (isStopping()) response.shouldKeepAlive = false
        // Behind an earlier answer, even a short one waits in memory.
        const isBehind = response.socket === null
        if (isBehind) inFlight.add(request, response)
        const sentBytes = isQuick ? readQuickly(request, response) : undefined
        const isSent = sentBytes !== undefined && sentBytes <= bufferedBytes
        if (!isBehind && !isSent) inFlight.add(request, response)
        if (sentBytes !== undefined) return
        const address = () => addressBlock(addressOf(request))
        lanes.begin(request, address, () => handler(request, response))
      }),
  })
  // Node hands such a connection over, and forgets the requests that came before on it.
  app.server.on("connect", (_, socket) => inFlight.abandon(socket))
  app.setErrorHandler(answerError)
  sendSecurityHeaders(app, { https })
  readJsonBodies(app)
  logRequests(app)
  /** From then on every request is counted as in flight. */
  const readQuicklyNoMore = () => {
    isQuick = false
  }
  return { app, inFlight, lanes, quickCounts, answerRead, isStopping, readQuicklyNoMore }
}

type AppServer = ReturnType<typeof createServer>

function accountFeatures(http: Http, parts: AppParts, { refusals, warn }: { refusals: Refusals; warn: Warn }): void {
  const { core, config } = parts
  const { requireSecondFactor: mode, registration } = config
  const providers = providerClients(parts, warn)
  userRoutes(http, core, { refusals, mode, registration })
  secondFactorRoutes(http, core, mode)
  passkeyRoutes(http, { core, refusals, mode, providers })
  identityRoutes(http, core, { providers, refusals })
  tokenRoutes(http, core)
  cliLoginRoutes(http, core)
  adminRoutes(http, core)
  accountRoutes(http, core)
  const hasTeamClaim = [...providers.values()].some(({ settings }) => settings.teamClaim !== undefined)
  claimedTeamRoutes(http, core, hasTeamClaim)
}

function collectionFeatures(
  http: Http,
  { core, config }: AppParts,
  { live, policy }: { live: Live; policy: AddressPolicy },
): void {
  collectionRoutes(http, core, live)
  memberRoutes(http, core)
  nameRoutes(http, core)
  webhookRoutes(http, core, policy)
  teamRoutes(http, core)
  invitationRoutes(http, core)
  environmentRoutes(http, core)
  instanceRoutes(http, core)
  findRoutes(http, core)
  trashRoutes(http, core, config.trashDays)
  activityRoutes(http, core)
}

/** When the server closes: streams end, and all that has begun is answered. */
function endRequestsFirst(
  { app, inFlight, readQuicklyNoMore }: AppServer,
  { following, live }: { following: Following; live: Live },
): void {
  app.addHook("preClose", async () => {
    await inFlight.whenSent()
    following.watch.close()
    live.close()
    await following.feed.close()
    readQuicklyNoMore()
    await inFlight.closeConnections(app.server)
  })
}

interface EndParts {
  jobs: StartedJobs
  senders: readonly ({ stop(): Promise<void> } | undefined)[]
  /** What is written down last, and how. */
  lastWrites: Readonly<Record<string, () => Promise<unknown>>>
  audit: AuditJobs
  warn: Warn
}

/** Writes down what is counted before it waits for what may take long: what is left when the time to stop is over is lost. */
function endWorkLast(app: FastifyInstance, { jobs, senders, lastWrites, audit, warn }: EndParts): void {
  app.addHook("onClose", async () => {
    await jobs.stop()
    const sendersEnded = Promise.all(senders.map((sender) => sender?.stop()))
    for (const [what, write] of Object.entries(lastWrites)) {
      await write().catch((error: unknown) => warn(error, `could not write down ${what}`))
    }
    await sendersEnded
    await jobs.ended()
    await audit.chain().catch((error: unknown) => warn(error, "could not chain the last events"))
  })
}

async function serveScreens(http: Http, { webDir, core, config }: AppParts): Promise<void> {
  const { contactUrl, registration, oidc } = config
  await serveWeb(http.app, {
    webDir,
    contactUrl,
    registration,
    providers: oidc.map(publicProvider),
    sendsMail: core.mail !== undefined,
    publicOrigin: http.publicOrigin,
    hasSession: (request) => http.cookies.readSession(request) !== undefined,
    isSignedIn: (request, reply) => isSignedIn(http, request, reply),
  })
}

/** None without the address that people use: the settings are refused then. */
function providerClients({ config, providerTimeoutSeconds: timeoutSeconds }: AppParts, warn: ProviderParts["warn"]) {
  const { publicUrl, oidc } = config
  if (publicUrl === undefined) return new Map<string, ProviderClient>()
  const clientOf = (settings: ProviderParts["settings"]) =>
    createProviderClient({ settings, publicUrl, timeoutSeconds, warn })
  return new Map(oidc.map((settings) => [settings.name, clientOf(settings)]))
}

function ownMailSender(core: Core, log: Pick<FastifyBaseLogger, "info" | "warn">): MailSender | undefined {
  const { mail } = core
  if (mail === undefined) return undefined
  return new MailSender({
    core,
    mail,
    answerForgotten: (id, params) => answerForgotten(core, id, params),
    warn: (error, what) => log.warn({ err: error }, what),
    serverIs: (state, fault) =>
      state === "failing"
        ? log.warn({ fault }, "the mail server fails: mails wait and are tried again")
        : log.info("the mail server is back"),
  })
}
