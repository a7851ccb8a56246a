import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { variables } from "@envkeep/contract"
import { requestText } from "../load/request.ts"
import { readRequest } from "../stock.ts"
import type { Random } from "./random.ts"

export interface Crowd {
  /** Connections of clients that misbehave or reconnect, during the whole run. */
  begin(): void
  /** Opens this many connections, uses each once and keeps it open. */
  openIdle(count: number): Promise<void>
  closeIdle(): void
  idle(): number
  end(): Promise<void>
}

/** Clients that occupy connections: slow, silent, not reading, or idle. */
export function createCrowd(port: number, key: string, random: Random): Crowd {
  const headers = { authorization: `Bearer ${key}` }
  const watch = requestText({ path: `/api${variables.watch.path}`, headers })
  const login = requestText({ method: "POST", path: "/api/users/login", body: { email: "slow@example.com" } })
  const idle = new Set<Socket>()
  const others = new Set<Socket>()
  let ended = false
  let enough = false
  const running: Promise<void>[] = []

  return {
    begin() {
      // Headers one byte at a time, twice a second; half a body; nothing at all; a hundred requests whose answers are not read.
      forEver(30, (socket) => drip(socket, readRequest(key)))
      forEver(15, async (socket) => void socket.write(login.slice(0, -5)))
      forEver(15, async () => undefined)
      forEver(10, async (socket) => {
        socket.pause()
        socket.write(readRequest(key).repeat(100))
      })
      forEver(20, async (socket) => {
        socket.write(watch)
        await wait(500 + random.below(4_000))
        socket.destroy()
      })
    },
    async openIdle(count) {
      // A hundred at a time: more would wait in the queue of connections that are not accepted yet.
      for (let opened = 0; opened < count && !ended && !enough; opened += 100) {
        await Promise.all(Array.from({ length: Math.min(100, count - opened) }, openOne))
      }
    },
    closeIdle() {
      enough = true
      for (const socket of idle) socket.destroy()
    },
    idle: () => idle.size,
    async end() {
      ended = true
      for (const socket of [...idle, ...others]) socket.destroy()
      await Promise.all(running)
    },
  }

  /** Keeps this many connected: one that the server cuts off connects again. */
  function forEver(count: number, behave: (socket: Socket) => Promise<void>): void {
    for (let n = 0; n < count; n++) running.push(again(behave))
  }

  async function again(behave: (socket: Socket) => Promise<void>): Promise<void> {
    while (!ended) {
      const socket = connect({ host: "127.0.0.1", port })
      others.add(socket)
      socket.on("error", () => undefined)
      const closed = once(socket, "close").catch(() => undefined)
      // Read and dropped, except by those that do not read.
      socket.on("data", () => undefined)
      await Promise.all([behave(socket), closed])
      others.delete(socket)
      await wait(random.below(200))
    }
  }

  async function drip(socket: Socket, text: string): Promise<void> {
    for (const letter of text) {
      if (socket.destroyed) return
      socket.write(letter)
      await wait(500)
    }
  }

  async function openOne(): Promise<void> {
    const socket = connect({ host: "127.0.0.1", port })
    idle.add(socket)
    socket.on("error", () => undefined)
    const closed = once(socket, "close").then(() => idle.delete(socket))
    socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
    // Whichever comes first: the run may end before all of them are connected.
    await Promise.race([once(socket, "data"), closed])
    socket.resume()
  }
}
