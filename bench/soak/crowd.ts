import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { variables } from "@envkeep/contract"
import { requestText } from "../load/request.ts"
import { readRequest } from "../owner.ts"
import type { Random } from "./random.ts"

export interface Crowd {
  /** Connections of clients that misbehave or come and go; they are there all the time. */
  begin(): void
  /** So many connections that were used once and are then kept. */
  openIdle(count: number): Promise<void>
  closeIdle(): void
  idle(): number
  end(): Promise<void>
}

/** Everybody who costs a connection and gives nothing for it. */
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
      // One byte of the headers twice a second, half a body and no more, not one word, a hundred answers and none read.
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
      // A hundred at a time: more at once would wait in the queue of connections not accepted yet.
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

  /** Keeps so many of them there: one that the server has cut off comes again. */
  function forEver(count: number, behave: (socket: Socket) => Promise<void>): void {
    for (let n = 0; n < count; n++) running.push(again(behave))
  }

  async function again(behave: (socket: Socket) => Promise<void>): Promise<void> {
    while (!ended) {
      const socket = connect({ host: "127.0.0.1", port })
      others.add(socket)
      socket.on("error", () => undefined)
      const closed = once(socket, "close").catch(() => undefined)
      // Read and dropped, by all but those who pause.
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
    // Whichever comes first: the run may be over before all of them are there.
    await Promise.race([once(socket, "data"), closed])
    socket.resume()
  }
}
