import type { IncomingMessage } from "node:http"
import { nextTurn } from "../bounds/turns.ts"

// Node reads up to 2 MB of a connection in one go. That is wanted for bodies that are kept, of which there is only so much,
// but dozens of senders of what is dropped would be read for tens of milliseconds before anyone else.

/** What Node reads at once. */
const bytesPerTurn = 64 * 1024

/** Reads a body that nothing wants. Kept unread, one of many chunks would take much memory. */
export function dropBody(request: IncomingMessage): void {
  // Before the answer is sent: otherwise Node drops the rest by itself, as fast as it comes.
  request.read(0)
  request.on("data", dropping(request))
  request.resume()
}

/** Drops what of a body is still to come when its request has been answered. */
export function dropRest(request: IncomingMessage): void {
  if (!request.complete) dropBody(request)
}

/** To be told of each chunk that is dropped: after some of them, the next come in a later turn of the event loop. */
export function dropping(request: IncomingMessage): (chunk: Buffer) => void {
  let bytes = 0
  return ({ length }) => {
    bytes += length
    if (bytes < bytesPerTurn) return
    bytes = 0
    request.pause()
    void nextTurn().then(() => request.resume())
  }
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined
}
