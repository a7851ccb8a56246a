import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Each chunk costs some work, however short it is. No honest sender has so many so short ones. */
const maxSmallChunks = 1_000
const smallChunkBytes = 64

export type BoundChunks = (request: IncomingMessage, response: ServerResponse) => void

/** Cuts off a sender whose body comes in very many tiny chunks, whether anything reads the body or not. */
export function chunkBounds(server: Server): BoundChunks {
  const countInTurn = oneSenderPerTurn(server)
  return (request, response) => {
    if (request.headers["transfer-encoding"] === undefined) return
    const push = request.push.bind(request)
    let chunks = 0
    let size = 0
    request.push = (chunk: Buffer | null, encoding) => {
      // Node goes through all that it has read, up to 64 KiB, before it closes the connection.
      if (request.destroyed) return true
      countInTurn(request.socket)
      if (chunk !== null) chunks++
      size += chunk?.length ?? 0
      if (chunks > maxSmallChunks && size < chunks * smallChunkBytes) request.destroy()
      return push(chunk, encoding)
    }
    // Node drops what still arrives after the answer where this cannot count it, unless reading has begun.
    response.once("prefinish", () => {
      if (request.complete) return
      request.read(0)
      request.resume()
    })
  }
}

/**
 * A read full of tiny chunks takes up to 20 ms. Several that arrive together would be parsed in one go, so once one turn of
 * the event loop has seen too many chunks, all other connections are read in the next turn.
 */
function oneSenderPerTurn(server: Server): (sender: Socket) => void {
  const connections = new Set<Socket>()
  server.on("connection", (socket) => {
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
  })
  let chunksInTurn = 0
  const endTurn = () => {
    chunksInTurn = 0
  }
  return (sender) => {
    chunksInTurn++
    if (chunksInTurn === 1) setImmediate(endTurn)
    if (chunksInTurn !== maxSmallChunks) return
    const waiting = [...connections].filter((socket) => socket !== sender && !socket.isPaused())
    for (const socket of waiting) socket.pause()
    setImmediate(() => {
      for (const socket of waiting) socket.resume()
    })
  }
}
