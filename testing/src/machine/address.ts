import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** One TCP address that leads to whichever database server is the primary, as a virtual IP or HAProxy does. */
export interface Address {
  /** The same URL with this address in place of its own. */
  urlOf(databaseUrl: string): string
  /** Breaks every connection. New ones go to that server; without one, they are closed at once. */
  leadTo(databaseUrl: string | undefined): void
  close(): Promise<void>
}

export async function openAddress(databaseUrl: string): Promise<Address> {
  const sockets = new Set<Socket>()
  let target: URL | undefined = new URL(databaseUrl)
  const server = createServer((socket) => {
    keep(socket)
    if (target === undefined) return void socket.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    keep(upstream)
    socket.pipe(upstream).pipe(socket)
    socket.on("close", () => upstream.destroy())
    upstream.on("close", () => socket.destroy())
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    urlOf(other) {
      const url = new URL(other)
      url.port = String(port)
      return url.href
    },
    leadTo(next) {
      target = next === undefined ? undefined : new URL(next)
      breakAll()
    },
    async close() {
      server.close()
      breakAll()
      await once(server, "close")
    },
  }

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
  }
}
