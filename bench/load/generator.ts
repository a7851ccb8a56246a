import { connect } from "node:net"
import { answer } from "../side-process.ts"
import { responseReader } from "./responses.ts"

// The load generator, in its own process: each of N connections sends the same prepared bytes, waits for the whole answer,
// and sends them again. It does the same work for every server.

export interface Load {
  port: number
  /** The whole request, as it goes over the wire. */
  request: string
  /** The status that every answer must have. */
  status: number
  connections: number
  /** Not counted: connections open and code is compiled. */
  warmSeconds: number
  seconds: number
}

export interface LoadResult {
  perSecond: number
  p50: number
  p99: number
}

const answerTimeoutMs = 10_000
const latencies = new Float64Array(4_000_000)

answer(run)

async function run(load: Load): Promise<LoadResult> {
  const from = performance.now() + load.warmSeconds * 1000
  const until = from + load.seconds * 1000
  let count = 0
  const tooLate = setTimeout(
    () => {
      throw new Error(`no answer from port ${load.port} for ${answerTimeoutMs / 1000} s`)
    },
    until + answerTimeoutMs - performance.now(),
  )
  const record = (sentAt: number, now: number) => {
    if (now >= from && now < until && count < latencies.length) latencies[count++] = now - sentAt
  }
  await Promise.all(Array.from({ length: load.connections }, () => hammer(load, until, record)))
  clearTimeout(tooLate)

  const sorted = latencies.subarray(0, count).sort()
  const at = (share: number) => sorted[Math.min(count - 1, Math.floor(count * share))] ?? Number.NaN
  return { perSecond: count / load.seconds, p50: at(0.5), p99: at(0.99) }
}

function hammer(load: Load, until: number, record: (sentAt: number, now: number) => void): Promise<void> {
  const request = Buffer.from(load.request, "latin1")
  return new Promise((resolve, reject) => {
    let sentAt = 0
    const read = responseReader((status, head) => {
      const now = performance.now()
      if (status !== load.status) return void socket.destroy(new Error(`expected ${load.status}, got:\n${head}`))
      record(sentAt, now)
      if (now >= until) return void socket.destroy()
      send()
    })
    // One buffer per connection, so that reading creates no garbage.
    const buffer = Buffer.allocUnsafe(64 * 1024)
    const callback = (length: number) => {
      read(buffer, length)
      return true
    }
    const socket = connect({ host: "127.0.0.1", port: load.port, noDelay: true, onread: { buffer, callback } })
    socket.on("connect", send)
    socket.on("error", reject)
    socket.on("end", () => reject(new Error(`port ${load.port} ended a connection under load`)))
    socket.on("close", () => resolve())

    function send(): void {
      sentAt = performance.now()
      socket.write(request)
    }
  })
}
