import { connect } from "node:net"

export interface CrowdOrder {
  port: number
  size: number
  request: string
  /** A piece of each event. */
  event: string
}

/** Sent each time when all connections have got one more event. */
export interface CrowdAnswer {
  heardAtMs: number
  fault?: string
}

/** More at once would wait in the queue of connections that are not accepted yet. */
const joiningAtOnce = 100

process.on("message", (order: CrowdOrder) => {
  gather(order).catch((error: unknown) => answer({ heardAtMs: 0, fault: String(error) }))
})
process.on("disconnect", () => process.exit(0))

async function gather({ port, size, request, event }: CrowdOrder): Promise<void> {
  let heard = 0
  for (let at = 0; at < size; at += joiningAtOnce) {
    await Promise.all(Array.from({ length: Math.min(joiningAtOnce, size - at) }, (_, one) => join(at + one)))
  }

  function join(at: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port })
      socket.on("error", reject)
      socket.on("close", () => reject(new Error(`connection ${at + 1} of ${size} was closed`)))
      socket.on("connect", () => socket.write(request))
      socket.on("data", (piece) => {
        if (piece.indexOf(event) < 0) return
        heard++
        if (heard % size === 0) answer({ heardAtMs: Number(process.hrtime.bigint()) / 1e6 })
        resolve()
      })
    })
  }
}

function answer(message: CrowdAnswer): void {
  process.send?.(message)
}
