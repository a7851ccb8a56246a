import { createServer, type RequestListener, type Server } from "node:http"
import { sentences } from "@envkeep/contract"
import { failure } from "./errors.ts"

/** How long a client may take: for the headers, for the whole request, and without sending or taking anything. */
export interface Patience {
  headersMs: number
  requestMs: number
  quietMs: number
}

// A sender may take its time, but not for ever: a stalled request gives its place back.
// Idle connections are kept longer than the minute that is common for proxies, so that it is they who close them.
const defaultPatience: Patience = { headersMs: 20_000, requestMs: 120_000, quietMs: 72_000 }
// How often late ones are looked for, at most: nobody is cut off early, and nobody much later.
const lookForLateMs = 5_000

/** Node's server, but for what it would answer by itself, without a word and not in the envelope. */
export function httpServer(patience = defaultPatience, serve: RequestListener): Server {
  const { headersMs, requestMs, quietMs } = patience
  const times = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    // Between two requests a connection may be quiet as long as within one: no clock has to be set for each.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: Math.min(lookForLateMs, headersMs),
  }
  // Most requests are reads and have no body: then no stream has to be made, read and closed for one.
  const options = { ...times, requireHostHeader: false, optimizeEmptyRequests: true }
  const server = createServer(options, (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== "1.1") return serve(request, response)
    const body = JSON.stringify(failure(sentences.badRequest))
    const headers = { connection: "close", "content-type": "application/json; charset=utf-8" }
    response.writeHead(400, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
  })
  // What a sender expects beyond 100-continue may be passed over, and then the request is one like any other.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server.setTimeout(quietMs)
}
