import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/** A TCP proxy between a node and its database, which plays a failing network. */
export interface DatabaseProxy {
  url: string
  /** Breaks every connection and refuses new ones. */
  refuse(): Promise<void>
  /** Accepts connections and bytes, and forwards nothing. */
  hang(): void
  /** Forwards each `statement` until `restore`, and breaks its connection instead of returning the answer. */
  loseAnswerTo(statement: string): void
  /** Forwards again, including everything it held back. */
  restore(): Promise<void>
}

export async function databaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let hanging = false
  let unansweredStatement: string | undefined
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const one of [socket, upstream]) {
      sockets.add(one)
      one.on("error", () => undefined)
      one.on("close", () => {
        sockets.delete(one)
        socket.destroy()
        upstream.destroy()
      })
    }
    socket.on("data", (bytes) => {
      if (unansweredStatement !== undefined && bytes.includes(unansweredStatement)) {
        upstream.removeAllListeners("data").once("data", () => socket.destroy())
      }
      upstream.write(bytes)
    })
    upstream.on("data", (bytes) => socket.write(bytes))
    if (hanging) for (const one of [socket, upstream]) one.pause()
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
      unansweredStatement = statement
    },
    hang() {
      hanging = true
      for (const socket of sockets) socket.pause()
    },
    async restore() {
      hanging = false
      unansweredStatement = undefined
      for (const socket of sockets) socket.resume()
      if (server.listening) return
      server.listen(port, "127.0.0.1")
      await once(server, "listening")
    },
  }
}
