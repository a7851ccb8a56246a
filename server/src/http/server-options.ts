import type { Server } from "node:http"
import { limits, sentences } from "@envkeep/contract"
import { type FastifyBaseLogger, type FastifyServerOptions, LogController } from "fastify"
import type { Config } from "../config.ts"
import { answerError, failure } from "./errors.ts"
import { headersForKeyHolders } from "./headers.ts"
import { isUnreadableScreen } from "./static.ts"

interface OptionParts {
  log: FastifyBaseLogger
  trustProxy: Config["trustProxy"]
  https: boolean
}

/** How Fastify is set up, and what is answered before any of its hooks could run. */
export function serverOptions({ log, trustProxy, https }: OptionParts): FastifyServerOptions<Server> {
  const plainHeaders = headersForKeyHolders(https)
  return {
    loggerInstance: log,
    trustProxy: trusted(trustProxy),
    bodyLimit: limits.bodyBytes,
    // On the way down, requests already on a connection are still served; idle connections are closed.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // Its own lines hold whole addresses; `logRequests` writes ours.
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
      socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${asksForHead(error) ? "" : body}`)
    },
  }
}

/** Also where the rest could not be parsed: the client would take a body for the next answer. */
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
