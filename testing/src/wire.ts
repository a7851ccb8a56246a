import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/**
 * The way to PostgreSQL, which can lose what is sent on the connection that listens for changes without a word to either
 * side: both still believe that they are connected.
 */
export async function listeningWire(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let losing = false
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    let listens = false
    const pass = (to: Socket) => (piece: Buffer) => {
      listens ||= piece.includes("listen envkeep_changes")
      if (!(losing && listens)) to.write(piece)
    }
    client.on("data", pass(database))
    database.on("data", pass(client))
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
    lose(lost: boolean): void {
      losing = lost
    },
  }
}
