import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/** What happens to the next connections: passed on, accepted but never answered, closed, or answered with this text. */
type Mode = "pass" | "stall" | "cut" | { answer: string }

/** Sits between a client and a server and simulates network faults. */
export async function faultyProxy(target: string) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const self = { url: "", mode: "pass" as Mode, next: [] as Mode[], connections: 0, freeze }
  const server = createServer((socket) => {
    self.connections++
    keep(socket)
    const mode = self.next.shift() ?? self.mode
    if (mode === "cut") socket.destroy()
    else if (mode === "pass") {
      const onward = connect({ host: hostname, port: Number(port) })
      keep(onward)
      socket.pipe(onward).pipe(socket)
    } else if (mode !== "stall") {
      socket.once("data", () => socket.end(mode.answer))
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.close()
    cutAll()
  })
  return self

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined)
  }

  function cutAll(): void {
    for (const socket of sockets) socket.destroy()
  }

  /** Leaves the connections open but lets nothing through, like a machine that lost power. */
  function freeze(): void {
    for (const socket of sockets) socket.unpipe().pause()
  }
}

export function answer(status: string, body = "", headers: Record<string, string> = {}): { answer: string } {
  const lines = Object.entries({ ...headers, "content-length": String(Buffer.byteLength(body)) })
  return {
    answer: `HTTP/1.1 ${status}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
  }
}
