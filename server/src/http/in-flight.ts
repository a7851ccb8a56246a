import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { steadyNow } from "../db/clock.ts"

interface InFlight {
  add(request: IncomingMessage, response: ServerResponse): void
  size(): number
  /** Until slow readers have taken the answers that are on their way: closing a server cuts those off as if idle. */
  sent(): Promise<void>
  /** Lets every request in flight be answered, and closes the other connections: idle, silent and half-sent ones. */
  end(server: Server): void
}

/** How long a request is waited for whose sender has not even finished sending it. */
const halfSentPatienceMs = 5_000
const slowReaderPatienceMs = 20_000
const lookEveryMs = 50
/** How long nothing must have been in flight: a request may still be on its way on a connection just taken. */
const quietMs = 200

export function requestsInFlight(): InFlight {
  const running = new Map<ServerResponse, IncomingMessage>()
  let ending = false
  return {
    add(request, response) {
      running.set(response, request)
      response.on("close", () => running.delete(response))
      // Told on the way down, so that its sender does not come back on the same connection.
      if (ending && !response.headersSent) response.setHeader("connection", "close")
    },
    async sent() {
      const until = steadyNow() + slowReaderPatienceMs
      while (steadyNow() < until && [...running.keys()].some(isBeingSent)) await wait(lookEveryMs)
    },
    size: () => running.size,
    end(server) {
      ending = true
      for (const response of running.keys()) if (!response.headersSent) response.setHeader("connection", "close")
      const begunAt = steadyNow()
      let busyAt = begunAt
      // Looked at again and again, since connections may still come in until the server has closed.
      const clock = setInterval(() => {
        const now = steadyNow()
        if (now - begunAt > halfSentPatienceMs) dropHalfSent()
        if (running.size > 0) busyAt = now
        if (now - busyAt > quietMs) server.closeAllConnections()
      }, lookEveryMs)
      server.once("close", () => clearInterval(clock))
    },
  }

  function isBeingSent({ writableEnded, writableFinished }: ServerResponse): boolean {
    return writableEnded && !writableFinished
  }

  function dropHalfSent(): void {
    for (const [response, request] of running) if (!request.complete) response.destroy()
  }
}
