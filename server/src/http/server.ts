import { createServer, type RequestListener, type Server } from "node:http"
import { sentences } from "@envkeep/contract"
import { failure } from "./errors.ts"

/** How long a client may take: for the headers, for the whole request, and without sending or taking anything. */
export interface Timeouts {
  headersMs: number
  requestMs: number
  idleMs: number
}

// A slow sender is served, a stalled one is cut off. Idle connections stay open longer than the minute that is common for
// proxies, so that the proxy closes them and never sends a request into a closing connection.
const defaultTimeouts: Timeouts = { headersMs: 20_000, requestMs: 120_000, idleMs: 72_000 }
const timeoutCheckMs = 5_000

/** Node's server, except that every answer is in the envelope, also those that Node would make by itself. */
export function httpServer(timeouts = defaultTimeouts, serve: RequestListener): Server {
  const { headersMs, requestMs, idleMs } = timeouts
  const options = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    // Off: `setTimeout` below covers the time between two requests too, and no timer has to be set for each of them.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: Math.min(timeoutCheckMs, headersMs),
    requireHostHeader: false,
    // Most requests are reads without a body; this spares them the stream for one.
    optimizeEmptyRequests: true,
  }
  const server = createServer(options, (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== "1.1") return serve(request, response)
    const body = JSON.stringify(failure(sentences.badRequest))
    const headers = { connection: "close", "content-type": "application/json; charset=utf-8" }
    response.writeHead(400, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
  })
  // RFC 9110 lets a server ignore expectations other than 100-continue.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server.setTimeout(idleMs)
}
