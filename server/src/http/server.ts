import { createServer, type RequestListener, type Server } from "node:http"
import { sentences } from "@envkeep/contract"
import { failure } from "./errors.ts"

/** How long a client may take: for the headers, for the whole request, and without taking any of its answer. */
export interface Patience {
  headersMs: number
  requestMs: number
  stalledMs: number
}

// A sender may take its time, but not for ever: a stalled request gives its place back.
const defaultPatience: Patience = { headersMs: 20_000, requestMs: 120_000, stalledMs: 60_000 }
// How often late ones are looked for, at most: nobody is cut off early, and nobody much later.
const lookForLateMs = 5_000
// Longer than the minute that proxies commonly keep a connection, so that it is they who close it.
const keepAliveTimeout = 72_000

/** Node's server, but for what it would answer by itself, without a word and not in the envelope. */
export function httpServer(patience = defaultPatience, serve: RequestListener): Server {
  const { headersMs, requestMs, stalledMs } = patience
  const times = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout,
    connectionsCheckingInterval: Math.min(lookForLateMs, headersMs),
  }
  const server = createServer({ ...times, requireHostHeader: false }, (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== "1.1") return serve(request, response)
    const body = JSON.stringify(failure(sentences.badRequest))
    const headers = { connection: "close", "content-type": "application/json; charset=utf-8" }
    response.writeHead(400, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
  })
  // What a sender expects beyond 100-continue may be passed over, and then the request is one like any other.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server.setTimeout(stalledMs)
}
