import { createServer, type RequestListener, type Server } from "node:http"
import { sentences } from "@envkeep/contract"
import { failure } from "./errors.ts"

/** How long a client may take for the headers, for the whole request, and without any traffic. */
export interface Timeouts {
  headersMs: number
  requestMs: number
  idleMs: number
}

// A slow client is served, a stalled one is cut off. Idle connections stay open for longer than a minute, the usual
// timeout of proxies: if the proxy closes them first, it never sends a request on a connection that we are closing.
const defaultTimeouts: Timeouts = { headersMs: 20_000, requestMs: 120_000, idleMs: 72_000 }
const timeoutCheckMs = 5_000

/** Node's server, except that every answer is in the envelope, even those that Node makes on its own. */
export function httpServer(timeouts = defaultTimeouts, serve: RequestListener): Server {
  const { headersMs, requestMs, idleMs } = timeouts
  const options = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    // Off: `setTimeout` below also covers the time between two requests, without a timer for each request.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: Math.min(timeoutCheckMs, headersMs),
    requireHostHeader: false,
    // Most requests are reads without a body; without this, each would get a stream for one.
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
