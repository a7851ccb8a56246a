import { Socket } from "node:net"

/** Every connection to the database passes through it. It is closed while the database is known to be down. */
export interface Gate {
  /** A socket for a new connection. While the gate is closed, the socket fails immediately. */
  socket(): Socket
  isClosed(): boolean
  /** Ends every connection and refuses new ones, so that no request waits for an answer that will not come. */
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
      // Not before this function returns: only then can the caller add its error listener.
      if (closed) setImmediate(() => socket.destroy(databaseDown()))
      return socket
    },
    isClosed: () => closed,
    close() {
      if (closed) return
      closed = true
      for (const socket of sockets) socket.destroy(databaseDown())
    },
    open() {
      closed = false
    },
  }
}

/** Whether a failed connection means that the database is down, rather than that it refused this one connection. */
export function meansDatabaseDown(error: unknown): boolean {
  const { severity, code } = error as { severity?: string; code?: string }
  // An error with a severity is an answer, so the database is up, unless it says that it is starting or shutting down.
  return severity === undefined || code === "57P03"
}

const databaseDown = () => Object.assign(new Error("the database is down"), { code: "ECONNREFUSED" })
