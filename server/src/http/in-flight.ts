import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { setImmediate, setTimeout as wait } from "node:timers/promises"
import { steadyNow } from "../db/clock.ts"
import { closeAfterAnswer } from "./connections.ts"

interface InFlight {
  add(request: IncomingMessage, response: ServerResponse): void
  size(): number
  /** Closes a connection that Node no longer looks after, and ends its requests. */
  abandon(socket: Duplex): void
  /** Waits for slow readers of finished answers: to a server that closes, their connections look idle. */
  whenSent(): Promise<void>
  /**
   * Resolves when every connection that waits in the system's queue is accepted, because closing the server resets
   * those. Every connection is closed once the requests in flight have their answers.
   */
  closeConnections(server: Server): Promise<void>
}

/** How long a client may take to finish sending its request. */
const halfSentTimeoutMs = 5_000
const slowReaderTimeoutMs = 20_000
const pollIntervalMs = 50
/** How long nothing must be in flight before the end: a new connection may not have delivered its request yet. */
const quietMs = 200
/** Clients may go on connecting for as long as the server accepts them. */
const acceptTimeoutMs = 2_000

/** More than any client sends without waiting for an answer. Then the connection closes, and the rest is not carried out. */
const maxUnansweredPerConnection = 8

export function requestsInFlight(): InFlight {
  const running = new Map<ServerResponse, IncomingMessage>()
  const unanswered = new WeakMap<Socket, number>()
  let isClosing = false
  return {
    add(request, response) {
      const { socket } = request
      const onSocket = (unanswered.get(socket) ?? 0) + 1
      unanswered.set(socket, onSocket)
      running.set(response, request)
      response.on("close", () => {
        running.delete(response)
        unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1)
      })
      if (isClosing || onSocket >= maxUnansweredPerConnection) closeAfterAnswer(response)
    },
    async whenSent() {
      const deadline = steadyNow() + slowReaderTimeoutMs
      while (steadyNow() < deadline && [...running.keys()].some(isBeingSent)) await wait(pollIntervalMs)
    },
    size: () => running.size,
    abandon(socket) {
      socket.destroy()
      for (const [response, request] of running) {
        // The one whose turn it is ends with its connection. Those behind it have none yet.
        if (request.socket === socket && response.socket === null) response.destroy().emit("close")
      }
    },
    async closeConnections(server) {
      isClosing = true
      // Of requests sent one after the other without waiting, only the last may close the connection.
      const lastOn = new Map([...running.keys()].map((response) => [response.req.socket, response]))
      for (const response of lastOn.values()) closeAfterAnswer(response)
      await acceptQueued(server)
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

  /** Behind a stream that does not end, an answer is not being sent. */
  function isBeingSent({ writableEnded, writableFinished, socket }: ServerResponse): boolean {
    return writableEnded && !writableFinished && socket !== null
  }

  function dropHalfSent(): void {
    for (const [response, request] of running) if (!request.complete) response.destroy()
  }
}

/** In each turn of the event loop the system hands over a connection or a few. After a turn without any, none waits. */
async function acceptQueued(server: Server): Promise<void> {
  const deadline = steadyNow() + acceptTimeoutMs
  let accepted = 0
  const count = () => void accepted++
  server.on("connection", count)
  let before = -1
  while (accepted > before && steadyNow() < deadline) {
    before = accepted
    // Two, because this one may have begun after the turn's own time to accept.
    await setImmediate()
    await setImmediate()
  }
  server.off("connection", count)
}
