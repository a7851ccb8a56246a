import type { Server } from "node:http"
import { limits, sentences } from "@envkeep/contract"
import { type FastifyBaseLogger, type FastifyServerOptions, LogController } from "fastify"
import type { TrustedProxies } from "./address.ts"
import { refuseConnection } from "./connections.ts"
import { answerError, failure } from "./errors.ts"
import { headersForKeyHolders } from "./headers.ts"
import { isUnreadableScreen } from "./static.ts"

/** None, the nearest n, or those at these addresses. */
type TrustProxy = false | number | string[]

interface OptionParts {
  log: FastifyBaseLogger
  trustProxy: TrustProxy
  https: boolean
}

/** Fastify's options, and the answers to requests that fail before any hook runs. */
export function serverOptions({ log, trustProxy, https }: OptionParts): FastifyServerOptions<Server> {
  const plainHeaders = headersForKeyHolders(https)
  return {
    loggerInstance: log,
    trustProxy: trusted(trustProxy),
    bodyLimit: limits.bodyBytes,
    // A stop may wait longer for slow readers than Fastify lets a plugin take. It has a deadline of its own.
    pluginTimeout: 0,
    // While the server stops, open connections are still served and idle ones are closed.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // Fastify's own lines contain whole URLs; `logRequests` writes ours.
    logController: new LogController({ disableRequestLogging: true }),
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
      refuseConnection(socket, `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${asksForHead(error) ? "" : body}`)
    },
  }
}

/** Even if the rest cannot be parsed: a client would read a body after HEAD as the next answer. */
function asksForHead({ rawPacket }: { rawPacket?: unknown }): boolean {
  return rawPacket instanceof Buffer && rawPacket.subarray(0, 5).toString() === "HEAD "
}

function clientFault(code: string | undefined): [status: string, reason: string] {
  if (code === "HPE_HEADER_OVERFLOW") return ["431 Request Header Fields Too Large", sentences.badRequest]
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["408 Request Timeout", sentences.requestTooSlow]
  return ["400 Bad Request", sentences.badRequest]
}

export function trusted(proxies: TrustProxy): TrustedProxies {
  return typeof proxies === "number" ? (_, hop) => hop < proxies : proxies
}
