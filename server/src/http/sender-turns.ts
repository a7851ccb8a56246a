import type { Socket } from "node:net"

/** One takes some microseconds, so these take a few milliseconds. */
const stepsPerTurn = 1_000
/** What it takes to pause a connection and to resume it. With very many, that must not take longer than what it avoids. */
const stepsPerPause = 3

/** A server, as far as it is needed here. */
interface Connected {
  on(event: "connection", listener: (socket: Socket) => void): unknown
}

/** Called when a sender has made the server take steps that are of no use to anyone. */
export type CountSteps = (sender: Socket, steps: number) => void

/**
 * Node parses all that it has read of a connection, up to 64 KiB, in one go. Full of tiny chunks or of requests that are
 * not carried out, that takes tens of milliseconds. If several such connections were read together, all others would wait
 * for all of them. So once one turn of the event loop has seen too many steps, all other connections are read in the next.
 */
export function oneSenderPerTurn(server: Connected): CountSteps {
  const connections = new Set<Socket>()
  server.on("connection", (socket) => {
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
  })
  let stepsInTurn = 0
  let isPaused = false
  const endTurn = () => {
    stepsInTurn = 0
    isPaused = false
  }
  return (sender, steps) => {
    if (stepsInTurn === 0) setImmediate(endTurn)
    stepsInTurn += steps
    if (isPaused || stepsInTurn < Math.max(stepsPerTurn, stepsPerPause * connections.size)) return
    isPaused = true
    const waiting = [...connections].filter((socket) => socket !== sender && !socket.isPaused())
    for (const socket of waiting) socket.pause()
    setImmediate(() => {
      for (const socket of waiting) socket.resume()
    })
  }
}
