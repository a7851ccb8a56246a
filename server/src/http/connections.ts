import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** Connections that close after an answer on its way. A further request on them gets no answer, so it must not run. */
const closing = new WeakSet<Duplex>()

/** Connections whose client sent something that is not HTTP, or sent it too slowly. */
const refused = new WeakSet<Duplex>()
const refusal = "refusal"

/** A client that goes on sending after it was refused is disconnected; before that, it can read why. */
const lingerMs = 2_000

export function isClosing(socket: Duplex): boolean {
  return closing.has(socket)
}

/** For a connection whose last answer is being made. */
export function serveNoMore(socket: Duplex): void {
  closing.add(socket)
}

/** What makes Node's parser leave the rest of what it has read. */
const noMore = 2

/**
 * For a connection that closes, and whose client goes on sending. Otherwise Node would make objects for every further
 * request, up to thousands for each piece that it reads, and keep them until the connection has closed.
 */
export function parseNoMore(socket: Parsed): void {
  if (!socket.parser) return
  socket.parser.onIncoming = (request) => {
    // It may ask for another protocol, and then Node would close the connection at once.
    request.upgrade = false
    return noMore
  }
}

interface Parsed extends Duplex {
  parser?: { onIncoming?: (request: { upgrade: boolean }) => number } | null
}

/** Tells the client not to send another request on the same connection. */
export function closeAfterAnswer(response: ServerResponse): void {
  if (response.headersSent) return
  response.shouldKeepAlive = false
  serveNoMore(response.req.socket)
}

/**
 * Closes a connection on which no further request can be read. Requests that were read before get their own answers
 * first. Then the client is told why, unless an answer had already begun when it sent this.
 */
export function refuseConnection(socket: Duplex, reason: string): void {
  if (refused.has(socket)) return
  refused.add(socket)
  serveNoMore(socket)
  const hasBegun = currentResponse(socket)?.headersSent === true
  socket.emit(refusal)
  afterAnswers(socket, () => {
    if (socket.destroyed) return
    if (hasBegun) socket.end()
    else if (socket.writable) socket.end(reason)
    setTimeout(() => socket.destroy(), lingerMs).unref()
  })
}

/** For answers without an end of their own, before their headers are sent: they end when their client was refused. */
export function endWhenRefused(response: ServerResponse): void {
  const { socket } = response.req
  const end = () => void response.end()
  if (refused.has(socket)) {
    response.shouldKeepAlive = false
    setImmediate(end)
    return
  }
  socket.once(refusal, end)
  response.once("close", () => socket.off(refusal, end))
}

function afterAnswers(socket: Duplex, then: () => void): void {
  const response = currentResponse(socket)
  // The rest of an incomplete request never comes, so its handler cannot answer it.
  const isPending = response !== undefined && (response.req.complete || response.headersSent)
  if (isPending) response.once("close", () => afterAnswers(socket, then))
  else then()
}

/**
 * Node answers the requests of a connection in order, and keeps the response whose turn it is here. To remember all of
 * them ourselves would cost every read something, and only refused connections need to know.
 */
function currentResponse(socket: Duplex & { _httpMessage?: ServerResponse | null }): ServerResponse | undefined {
  return socket._httpMessage ?? undefined
}
