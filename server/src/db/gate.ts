import { Socket } from "node:net"

/** Stands before the connections to a database: closed while the database is known to be away. */
export interface Gate {
  /** A socket for a new connection; behind a closed gate, one that fails at once. */
  socket(): Socket
  isClosed(): boolean
  /** Ends every connection and refuses new ones: nobody is left to wait for an answer that is not coming. */
  close(): void
  open(): void
}

export function createGate(): Gate {
  const sockets = new Set<Socket>()
  let closed = false
  return {
    socket() {
      const socket = new Socket()
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
      // Not at once: whoever asked for it begins to listen for errors after it has it.
      if (closed) setImmediate(() => socket.destroy(away()))
      return socket
    },
    isClosed: () => closed,
    close() {
      if (closed) return
      closed = true
      for (const socket of sockets) socket.destroy(away())
    },
    open() {
      closed = false
    },
  }
}

/** Whether a failed connection means that the database is away, or only that it did not take this one. */
export function saysItIsAway(error: unknown): boolean {
  const { severity, code } = error as { severity?: string; code?: string }
  // It answered: then it is there, unless what it said is that it is shutting down or starting up.
  return severity === undefined || code === "57P03"
}

const away = () => Object.assign(new Error("the database is away"), { code: "ECONNREFUSED" })
