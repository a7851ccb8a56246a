import type { IncomingMessage, Server, ServerResponse } from "node:http"

interface InFlight {
  add(request: IncomingMessage, response: ServerResponse): void
  /** Lets every request in flight be answered, then closes all connections: idle, silent and half-sent ones. */
  end(server: Server): Promise<void>
}

/** How long a request is waited for whose sender has not even finished sending it. */
const halfSentPatienceMs = 5_000

export function requestsInFlight(): InFlight {
  const running = new Map<ServerResponse, IncomingMessage>()
  let ending = false
  let settled = () => {}
  return {
    add(request, response) {
      running.set(response, request)
      // Told on the way down, so that its sender does not come back on the same connection.
      if (ending) response.setHeader("connection", "close")
      response.on("close", () => {
        running.delete(response)
        if (running.size === 0) settled()
      })
    },
    async end(server) {
      ending = true
      for (const response of running.keys()) if (!response.headersSent) response.setHeader("connection", "close")
      if (running.size > 0) await allAnswered()
      server.closeAllConnections()
    },
  }

  function allAnswered(): Promise<void> {
    return new Promise((resolve) => {
      settled = resolve
      setTimeout(() => {
        for (const [response, request] of running) if (!request.complete) response.destroy()
      }, halfSentPatienceMs).unref()
    })
  }
}
