import { connect } from "node:net"

export interface CrowdOrder {
  port: number
  size: number
  /** What each of them sends once. Then it only waits. */
  request: string
  /** A piece of each event. */
  event: string
}

/** A clock that all processes of the machine share. */
export const systemMs = () => Number(process.hrtime.bigint()) / 1e6

/** More at once would wait in the queue of connections that are not accepted yet. */
const joiningAtOnce = 100

/**
 * Opens connections, and resolves when each has got its first answer. They are in a process of their own: one process may
 * not open the files for both sides, and would delay its own measurements. Each time that all of them have got one more
 * event, it says when the last one did.
 */
export async function gather(
  { port, size, request, event }: CrowdOrder,
  tell: (heardAtMs: number) => void,
): Promise<void> {
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
        if (heard > size && heard % size === 0) tell(systemMs())
        resolve()
      })
    })
  }
}
