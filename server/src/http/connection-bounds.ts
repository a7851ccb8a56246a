import type { Server } from "node:http"
import { addressBlock } from "./address.ts"

/** An idle connection takes about 12 kB, so these take less than 300 MB. */
const maxConnections = 24_000
/** Half, so that one address cannot keep all others out. */
const maxConnectionsPerAddress = maxConnections / 2

export interface ConnectionBounds {
  total: number
  perAddress: number
}

/** Closes connections beyond the bounds as soon as they arrive, before anything of them is read. */
export function boundConnections(
  server: Server,
  { total, perAddress }: ConnectionBounds = { total: maxConnections, perAddress: maxConnectionsPerAddress },
): void {
  const counts = new Map<string, number>()
  server.maxConnections = total
  server.on("connection", (socket) => {
    const address = addressBlock(socket.remoteAddress ?? "")
    const count = (counts.get(address) ?? 0) + 1
    counts.set(address, count)
    socket.once("close", () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    })
    if (count > perAddress) socket.destroy()
  })
}
