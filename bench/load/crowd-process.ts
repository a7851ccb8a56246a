import { connect } from "node:net"
import { answer, tell } from "../side-process.ts"
import { type CrowdOrder, systemMs } from "./crowd.ts"

/** More at once would wait in the queue of connections that are not accepted yet. */
const joiningAtOnce = 100

answer(gather)

async function gather({ port, size, request, event }: CrowdOrder): Promise<number> {
  let heard = 0
  for (let at = 0; at < size; at += joiningAtOnce) {
    await Promise.all(Array.from({ length: Math.min(joiningAtOnce, size - at) }, (_, one) => join(at + one)))
  }
  return systemMs()

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
