import { connect, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { variables } from "@envkeep/contract"
import { requestText } from "../load/request.ts"
import { readRequest } from "../stock.ts"
import type { Attack } from "./attacks.ts"

/** Ninety connections of clients that are slow, silent, never read, or leave at once. */
export const slowClients: Attack = {
  name: "slow clients",
  start({ port, key }) {
    const watch = requestText({ path: `/api${variables.watch.path}`, headers: { authorization: `Bearer ${key}` } })
    const login = requestText({ method: "POST", path: "/api/users/login", body: { email: "slow@example.com" } })
    // Headers one byte at a time; half a body; nothing at all; a hundred requests whose answers are not read.
    keep(port, 30, (socket) => drip(socket, readRequest(key)))
    keep(port, 15, (socket) => void socket.write(login.slice(0, -5)))
    keep(port, 15, () => undefined)
    keep(port, 10, (socket) => void socket.pause().write(readRequest(key).repeat(100)))
    keep(port, 20, async (socket) => {
      socket.write(watch)
      await wait(500 + Math.random() * 4_000)
      socket.destroy()
    })
  },
}

/** Keeps this many connected: one that the server cuts off connects again. */
function keep(port: number, count: number, behave: (socket: Socket) => unknown): void {
  const join = () => {
    const socket = connect({ host: "127.0.0.1", port })
    socket.on("error", () => undefined)
    // Read and dropped, except by those that do not read.
    socket.on("data", () => undefined)
    socket.on("close", () => setTimeout(join, Math.random() * 200))
    behave(socket)
  }
  for (let at = 0; at < count; at++) join()
}

async function drip(socket: Socket, text: string): Promise<void> {
  for (const letter of text) {
    if (socket.destroyed) return
    socket.write(letter)
    await wait(500)
  }
}
