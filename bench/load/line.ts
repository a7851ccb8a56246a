import { once } from "node:events"
import { connect } from "node:net"
import { responseReader } from "./responses.ts"

export interface Answer {
  status: number
  head: string
  /** From sending to the last byte. */
  ms: number
}

/** One connection for one call after the other, timed without the cost of a whole HTTP client. */
export interface Line {
  /** Fails unless the answer has this status. */
  ask(request: string, status: number): Promise<Answer>
  close(): void
}

export async function openLine(port: number): Promise<Line> {
  let waiting: ((answer: Answer) => void) | undefined
  let sentAt = 0
  const read = responseReader((status, head) => waiting?.({ status, head, ms: performance.now() - sentAt }))
  const socket = connect({ host: "127.0.0.1", port, noDelay: true })
  await once(socket, "connect")
  const lost = new Promise<never>((_, reject) => {
    socket.on("error", reject)
    socket.on("close", () => reject(new Error(`port ${port} ended the connection`)))
  })
  lost.catch(() => undefined)
  socket.on("data", (chunk) => read(chunk, chunk.length))
  return {
    async ask(request, status) {
      const answered = new Promise<Answer>((resolve) => {
        waiting = resolve
      })
      sentAt = performance.now()
      socket.write(request)
      const answer = await Promise.race([answered, lost])
      if (answer.status !== status) throw new Error(`expected ${status}, got:\n${answer.head}`)
      return answer
    },
    close: () => void socket.destroy(),
  }
}
