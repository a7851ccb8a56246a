import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/** Stands between a node and its database, to be the network that fails. */
export interface Proxy {
  url: string
  /** Breaks every connection and refuses new ones. */
  refuse(): Promise<void>
  /** Takes connections and bytes, and passes nothing on. */
  hang(): void
  /** Passes the next `statement` on, and breaks its connection instead of passing the answer back. */
  loseAnswerTo(statement: string): void
  /** Passes on again, also what it held back. */
  restore(): Promise<void>
}

export async function proxyTo(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let hanging = false
  let losing: string | undefined
  const server = createServer((socket) => {
    const onward = connect(Number(target.port), target.hostname)
    for (const one of [socket, onward]) {
      sockets.add(one)
      one.on("error", () => undefined)
      one.on("close", () => {
        sockets.delete(one)
        socket.destroy()
        onward.destroy()
      })
    }
    socket.on("data", (bytes) => {
      if (losing !== undefined && bytes.includes(losing)) {
        losing = undefined
        onward.removeAllListeners("data").once("data", () => socket.destroy())
      }
      onward.write(bytes)
    })
    onward.on("data", (bytes) => socket.write(bytes))
    if (hanging) for (const one of [socket, onward]) one.pause()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  const url = new URL(databaseUrl)
  url.port = String(port)
  const refuse = async () => {
    for (const socket of sockets) socket.destroy()
    if (!server.listening) return
    server.close()
    await once(server, "close")
  }
  onTestFinished(refuse)
  return {
    url: url.href,
    refuse,
    loseAnswerTo(statement) {
      losing = statement
    },
    hang() {
      hanging = true
      for (const socket of sockets) socket.pause()
    },
    async restore() {
      hanging = false
      for (const socket of sockets) socket.resume()
      if (server.listening) return
      server.listen(port, "127.0.0.1")
      await once(server, "listening")
    },
  }
}
