import { limits, sentences } from "@envkeep/contract"
import fastifyCookie from "@fastify/cookie"
import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from "fastify"
import { sql } from "kysely"
import type { Config } from "./config.ts"
import type { FeedListener } from "./db/change-feed.ts"
import type { OpenDatabase } from "./db/open.ts"
import { onCommitted } from "./db/transaction.ts"
import { adminRoutes } from "./features/admin/routes.ts"
import { collectionRoutes } from "./features/collections/routes.ts"
import { apiKeyRoutes } from "./features/environments/api-keys/routes.ts"
import { itemRoutes } from "./features/environments/items/routes.ts"
import { environmentRoutes } from "./features/environments/routes.ts"
import { userRoutes } from "./features/users/routes.ts"
import { identify, sessionDays } from "./features/users/sessions.ts"
import { createLastUsed } from "./features/variables/last-used.ts"
import { createMemory } from "./features/variables/memory.ts"
import { type QuickRead, quickRead } from "./features/variables/quick-read.ts"
import { variableRoutes } from "./features/variables/routes.ts"
import { newReadCounts } from "./features/variables/rules.ts"
import { createWatch } from "./features/variables/watch.ts"
import { readJsonBodies } from "./http/body.ts"
import { sessionCookies } from "./http/cookies.ts"
import { docsRoutes } from "./http/docs.ts"
import { answerError, failure } from "./http/errors.ts"
import { headersForKeyHolders, sendSecurityHeaders } from "./http/headers.ts"
import { healthRoutes } from "./http/health.ts"
import { requestsInFlight } from "./http/in-flight.ts"
import { requestLimit } from "./http/limits.ts"
import { describeError, logRequests } from "./http/log.ts"
import type { Http } from "./http/route.ts"
import { httpServer, type Patience } from "./http/server.ts"
import { isUnreadableScreen, serveWeb } from "./http/static.ts"
import type { Vault } from "./keys/secrets.ts"
import type { ServerMetrics } from "./metrics/server-metrics.ts"

const bufferedBytes = 16 * 1024

export interface AppParts {
  store: OpenDatabase
  vault: Vault
  config: Pick<Config, "publicUrl" | "trustProxy" | "contactUrl" | "staleReadsMs" | "logLevel">
  /** The folder of the built screens; without one, only the API is served. */
  webDir?: string | undefined
  /** Where the log goes; standard output unless said otherwise. */
  logStream?: { write(line: string): void }
  requestsPerMinute?: number
  /** What is counted goes here; without it, nothing is. */
  metrics?: ServerMetrics | undefined
  patience?: Patience
  /** From then on every answer closes its connection, and a balancer that asks is told to go elsewhere. */
  isStopping?: () => boolean
}

/** The whole server, ready to listen: every feature's routes, then the built screens. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { vault, config, isStopping = () => false } = parts
  const { db } = parts.store
  const https = isHttps(config)
  const first: { read?: QuickRead } = {}
  const inFlight = requestsInFlight()
  const app = fastify({
    ...serverOptions(parts),
    serverFactory: (handler) =>
      httpServer(parts.patience, (request, response) => {
        if (isStopping()) response.shouldKeepAlive = false
        const sent = first.read?.(request, response)
        // What fits the system's own buffers is on its way; only of more than that can a slow reader be cut off.
        if (sent === undefined || sent > bufferedBytes) inFlight.add(request, response)
        if (sent === undefined) handler(request, response)
      }),
  })

  app.setErrorHandler(answerError)
  sendSecurityHeaders(app, { https })
  readJsonBodies(app)
  logRequests(app)
  await app.register(fastifyCookie)

  const http: Http = {
    app,
    cookies: sessionCookies({ https, days: sessionDays }),
    identify: (token) => identify(db, token),
    limit: requestLimit(parts.requestsPerMinute),
    publicOrigin: config.publicUrl?.origin,
  }
  userRoutes(http, db)
  collectionRoutes(http, db, vault)
  environmentRoutes(http, db, vault)
  itemRoutes(http, db, vault)
  apiKeyRoutes(http, db, vault)
  adminRoutes(http, db)
  app.addHook("preClose", () => inFlight.sent())
  const following = followChanges(app, parts)
  variableRoutes(http, db, vault, following)
  first.read = quickRead(following.reading, headersForKeyHolders(https))
  parts.metrics?.measureApp(app, { store: parts.store, ...following, requestsInFlight: inFlight.size })
  app.addHook("preClose", async () => {
    delete first.read
    inFlight.end(app.server)
  })
  docsRoutes(app)
  healthRoutes(app, { askDatabase: () => sql`select 1`.execute(db), isStopping })
  await serveWeb(app, { webDir: parts.webDir, contactUrl: config.contactUrl })
  return app
}

/** Readers' memory and watchers, told of every change: at once of this node's own, by the feed of the others'. */
function followChanges(app: FastifyInstance, { store: { db, engine, follow }, config }: AppParts) {
  const memory = createMemory()
  const watch = createWatch(db, (error) => app.log.warn({ err: error }, "could not look for watchers"))
  const lastUsed = createLastUsed(db, (error) => app.log.warn({ err: error }, "could not note which keys were used"))
  const listener: FeedListener = {
    changed(changes) {
      memory.changed(changes)
      watch.changed(changes)
    },
    missed(rightUntil) {
      memory.missed(rightUntil)
      watch.missed(rightUntil)
    },
    cannotHear(reason) {
      app.log.warn({ err: reason }, "changes made by other nodes cannot be heard, so every read asks the database")
    },
  }
  onCommitted(db, engine, listener.changed)
  const feed = follow(listener)
  app.addHook("preClose", async () => {
    watch.close()
    await feed.close()
  })
  app.addHook("onClose", () => lastUsed.close())
  const { staleReadsMs } = config
  return { reading: { memory, feed, lastUsed, staleReadsMs, counts: newReadCounts() }, watch, feed }
}

function serverOptions({ config, logStream }: AppParts): FastifyServerOptions {
  const plainHeaders = headersForKeyHolders(isHttps(config))
  return {
    trustProxy: trusted(config.trustProxy),
    bodyLimit: limits.bodyBytes,
    // On the way down, requests already on a connection are still served; idle connections are closed.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // Its own lines hold whole addresses; `logRequests` writes ours.
    logController: new LogController({ disableRequestLogging: true }),
    logger: {
      level: config.logLevel,
      serializers: { err: describeError },
      ...(logStream === undefined ? {} : { stream: logStream }),
    },
    // Found out before any hook could run.
    frameworkErrors: (error, request, reply) => answerError(error, request, reply.headers(plainHeaders)),
    rewriteUrl: ({ url = "/" }) => (isUnreadableScreen(url) ? "/unreadable-address" : url),
    clientErrorHandler(error, socket) {
      if (error.code === "ECONNRESET" || !socket.writable) return
      const [status, reason] = clientFault(error.code)
      const body = JSON.stringify(failure(reason))
      const headers = {
        connection: "close",
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(body),
        ...plainHeaders,
      }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${asksForHead(error) ? "" : body}`)
    },
  }
}

function isHttps({ publicUrl }: AppParts["config"]): boolean {
  return publicUrl?.protocol === "https:"
}

/** Also where the rest could not be read: a body would be taken for the next answer. */
function asksForHead({ rawPacket }: { rawPacket?: unknown }): boolean {
  return rawPacket instanceof Buffer && rawPacket.subarray(0, 5).toString() === "HEAD "
}

function clientFault(code: string | undefined): [status: string, reason: string] {
  if (code === "HPE_HEADER_OVERFLOW") return ["431 Request Header Fields Too Large", sentences.badRequest]
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["408 Request Timeout", sentences.requestTooSlow]
  return ["400 Bad Request", sentences.badRequest]
}

function trusted(proxies: Config["trustProxy"]): false | string[] | ((address: string, hop: number) => boolean) {
  return typeof proxies === "number" ? (_, hop) => hop < proxies : proxies
}
