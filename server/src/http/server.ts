import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import { sentences } from "@envkeep/contract"
import { closeAfterAnswer, isClosing, parseNoMore, serveNoMore } from "./connections.ts"
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

/** More than proxies and browsers send together. Node's bound on their size lets 16,000 pass, which takes long. */
const maxHeaders = 200

/** Idle, one takes about 12 kB, so these take less than 300 MB. How many one address may have is for a proxy to say. */
const maxConnections = 24_000

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
    if (isClosing(request.socket)) {
      // Its answer could not be sent, so it is not carried out.
      request.resume()
      parseNoMore(request.socket)
      return
    }
    // Kept unread, a body that no call wants would take memory. Of other calls, Node drops what is left when they have answered.
    if (hasBody(request) && (request.method === "GET" || request.method === "HEAD")) request.resume()
    if (isAmbiguous(request)) refuse(response)
    else serve(request, response)
    if (!response.shouldKeepAlive) serveNoMore(request.socket)
  })
  server.maxHeadersCount = maxHeaders
  server.maxConnections = maxConnections
  // RFC 9110 lets a server ignore expectations other than 100-continue.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server.setTimeout(idleMs)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined
}

/** A proxy in front might read such a request differently, for instance as two. Runs before every read, so it is short. */
function isAmbiguous({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  // Node left out the rest, and something that matters could be in it.
  if (rawHeaders.length >= 2 * maxHeaders) return true
  let hosts = 0
  let codings = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ""
    if (name.length === hostLength && name.toLowerCase() === "host") hosts++
    if (name.length !== codingLength || name.toLowerCase() !== "transfer-encoding") continue
    codings++
    if (rawHeaders[at + 1]?.toLowerCase() !== "chunked") return true
  }
  return httpVersion === "1.1" ? hosts !== 1 || codings > 1 : hosts > 1 || codings > 0
}

const hostLength = "host".length
const codingLength = "transfer-encoding".length

function refuse(response: ServerResponse): void {
  const body = JSON.stringify(failure(sentences.badRequest))
  closeAfterAnswer(response)
  response.writeHead(400, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  })
  response.end(response.req.method === "HEAD" ? undefined : body)
}
