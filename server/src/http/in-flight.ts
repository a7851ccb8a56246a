import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { steadyNow } from "../db/clock.ts"

interface InFlight {
  add(request: IncomingMessage, response: ServerResponse): void
  size(): number
  /** Waits for slow readers of finished answers: to a server that closes, their connections look idle. */
  whenSent(): Promise<void>
  /** Waits for the answers to all requests in flight, then closes every connection that is left. */
  closeConnections(server: Server): void
}

/** How long a client may take to finish sending its request. */
const halfSentTimeoutMs = 5_000
const slowReaderTimeoutMs = 20_000
const pollIntervalMs = 50
/** How long nothing must be in flight before the end: a new connection may not have delivered its request yet. */
const quietMs = 200

export function requestsInFlight(): InFlight {
  const running = new Map<ServerResponse, IncomingMessage>()
  let isClosing = false
  return {
    add(request, response) {
      running.set(response, request)
      response.on("close", () => running.delete(response))
      if (isClosing) closeAfterAnswer(response)
    },
    async whenSent() {
      const deadline = steadyNow() + slowReaderTimeoutMs
      while (steadyNow() < deadline && [...running.keys()].some(isBeingSent)) await wait(pollIntervalMs)
    },
    size: () => running.size,
    closeConnections(server) {
      isClosing = true
      for (const response of running.keys()) closeAfterAnswer(response)
      const startedAt = steadyNow()
      let lastBusyAt = startedAt
      // Repeated, because connections may still arrive until the server has closed.
      const timer = setInterval(() => {
        const now = steadyNow()
        if (now - startedAt > halfSentTimeoutMs) dropHalfSent()
        if (running.size > 0) lastBusyAt = now
        if (now - lastBusyAt > quietMs) server.closeAllConnections()
      }, pollIntervalMs)
      server.once("close", () => clearInterval(timer))
    },
  }

  /** Tells the client not to send another request on the same connection. */
  function closeAfterAnswer(response: ServerResponse): void {
    if (!response.headersSent) response.setHeader("connection", "close")
  }

  function isBeingSent({ writableEnded, writableFinished }: ServerResponse): boolean {
    return writableEnded && !writableFinished
  }

  function dropHalfSent(): void {
    for (const [response, request] of running) if (!request.complete) response.destroy()
  }
}
