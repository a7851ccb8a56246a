import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { createTurns } from "../bounds/turns.ts"
import { sessionCookieName } from "./cookies.ts"

type Arrived = Pick<IncomingMessage, "headers" | "method"> & { socket: Pick<Socket, "destroyed"> }

export interface Lanes {
  /** The address is asked for only if the request has to wait. */
  begin(request: Arrived, address: () => string, serve: () => void): void
  waiting(): number
}

/**
 * Begins the requests that memory cannot answer. To begin one takes a fraction of a millisecond, so if hundreds came in the
 * same moment, everyone else would wait for all of them. Of those that arrive together, each lane begins one in each turn
 * of the event loop.
 *
 * Signed-in users, holders of keys and tokens, and guests have lanes of their own, so that a crowd of one kind delays the
 * others little. A guest that only reads, such as a health check, does not wait for a storm of logins either. Within a lane,
 * addresses take turns. What is sent is not checked yet: a hostile sender can choose its lane, but not go faster in it.
 */
export function createLanes(): Lanes {
  const lanes = { user: createTurns(), key: createTurns(), visit: createTurns(), guest: createTurns() }
  return {
    begin(request, address, serve) {
      lanes[laneOf(request)].take(address, () => {
        // Its client may have hung up while it waited.
        if (request.socket.destroyed) return false
        serve()
        return true
      })
    },
    waiting: () => Object.values(lanes).reduce((sum, lane) => sum + lane.waiting(), 0),
  }
}

function laneOf({ headers: { authorization, cookie }, method }: Arrived): "user" | "key" | "visit" | "guest" {
  if (authorization !== undefined) return "key"
  // Other cookies stay in a browser in which no one is signed in.
  if (cookie?.includes(`${sessionCookieName}=`)) return "user"
  return method === "GET" || method === "HEAD" ? "visit" : "guest"
}
