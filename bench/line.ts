import { once } from "node:events"
import { connect } from "node:net"
import { responseReader } from "./responses.ts"

export interface Request {
  method?: string
  path: string
  headers?: Record<string, string>
  /** Text is sent as it is. */
  body?: unknown
}

/** The bytes of a request, as they go over the wire. */
export function requestText({ method = "GET", path, headers = {}, body }: Request): string {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body)
  const all: Record<string, string> = { host: "127.0.0.1", ...headers }
  if (body !== undefined) {
    all["content-type"] = "application/json"
    all["content-length"] = String(Buffer.byteLength(text))
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`
}

export interface Answer {
  head: string
  /** From sending to the last byte. */
  ms: number
}

/** One connection for one call after the other, timed without the cost of a whole HTTP client. */
export interface Line {
  /** Fails unless the answer has this status. */
  ask(request: string | Buffer, status: number): Promise<Answer>
  close(): void
}

export async function openLine(port: number): Promise<Line> {
  let answered: (status: number, head: string) => void = () => undefined
  let failed: (error: Error) => void = () => undefined
  const read = responseReader((status, head) => answered(status, head))
  // One buffer for all that is read, which creates no garbage.
  const buffer = Buffer.allocUnsafe(64 * 1024)
  const callback = (length: number) => {
    read(buffer, length)
    return true
  }
  const socket = connect({ host: "127.0.0.1", port, noDelay: true, onread: { buffer, callback } })
  await once(socket, "connect")
  socket.on("error", (error) => failed(error))
  socket.on("close", () => failed(new Error(`port ${port} ended the connection`)))
  return {
    ask: (request, expected) =>
      new Promise((resolve, reject) => {
        failed = reject
        answered = (status, head) => {
          if (status === expected) resolve({ head, ms: performance.now() - sentAt })
          else reject(new Error(`expected ${expected}, got:\n${head}`))
        }
        const sentAt = performance.now()
        socket.write(request)
      }),
    close: () => void socket.destroy(),
  }
}
