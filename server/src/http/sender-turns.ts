import type { Socket } from "node:net"

/** One takes some microseconds, so these take a few milliseconds. */
const chunksPerTurn = 1_000
/** To pause a connection and to resume it takes as long as these. With very many, it must not take longer than it avoids. */
const chunksPerPause = 3

/** A server, as far as it is needed here. */
interface Connected {
  on(event: "connection", listener: (socket: Socket) => void): unknown
}

/** Called for each chunk of a body. */
export type CountChunk = (sender: Socket) => void

/**
 * Node parses all that it has read of a connection, up to 64 KiB, in one go. Full of tiny chunks, that takes tens of
 * milliseconds. If several such connections were read together, all others would wait for all of them. So once one turn of
 * the event loop has seen too many chunks, all other connections are read in the next.
 */
export function oneSenderPerTurn(server: Connected): CountChunk {
  const connections = new Set<Socket>()
  server.on("connection", (socket) => {
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
  })
  let chunksInTurn = 0
  let isPaused = false
  const endTurn = () => {
    chunksInTurn = 0
    isPaused = false
  }
  return (sender) => {
    if (chunksInTurn++ === 0) setImmediate(endTurn)
    if (isPaused || chunksInTurn < Math.max(chunksPerTurn, chunksPerPause * connections.size)) return
    isPaused = true
    const waiting = [...connections].filter((socket) => socket !== sender && !socket.isPaused())
    for (const socket of waiting) socket.pause()
    setImmediate(() => {
      for (const socket of waiting) socket.resume()
    })
  }
}
