import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/**
 * A proxy to PostgreSQL that can silently drop everything on the connection that listens for changes. Both sides still
 * believe that they are connected.
 */
export async function silentDatabaseProxy(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let dropping = false
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    let isListening = false
    const forwardTo = (receiver: Socket) => (chunk: Buffer) => {
      isListening ||= chunk.includes("listen envkeep_changes")
      if (!(dropping && isListening)) receiver.write(chunk)
    }
    client.on("data", forwardTo(database))
    database.on("data", forwardTo(client))
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const url = new URL(databaseUrl)
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    startDropping(): void {
      dropping = true
    },
    stopDropping(): void {
      dropping = false
    },
  }
}
