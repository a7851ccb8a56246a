import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { createTurns } from "../bounds/turns.ts"

type Arrived = Pick<IncomingMessage, "headers" | "method"> & { socket: Pick<Socket, "destroyed"> }

/**
 * Begins the requests that memory cannot answer. To begin one takes a fraction of a millisecond, so if hundreds came in the
 * same moment, everyone else would wait for all of them. Of those that arrive together, each lane begins one in each turn
 * of the event loop.
 *
 * Signed-in users, holders of keys and tokens, and guests have lanes of their own, so that a crowd of one kind delays the
 * others little. A guest that only reads, such as a health check, does not wait for a storm of logins either.
 */
export function createLanes(): (request: Arrived, begin: () => void) => void {
  const lanes = { user: createTurns(), key: createTurns(), visit: createTurns(), guest: createTurns() }
  return (request, begin) => {
    lanes[laneOf(request)](() => {
      // Its client may have hung up while it waited.
      if (!request.socket.destroyed) begin()
    })
  }
}

function laneOf({ headers: { authorization, cookie }, method }: Arrived): "user" | "key" | "visit" | "guest" {
  if (authorization !== undefined) return "key"
  if (cookie !== undefined) return "user"
  return method === "GET" || method === "HEAD" ? "visit" : "guest"
}
