import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http"
import type { Envelope } from "@envkeep/contract"

export interface Sent {
  method: string
  /** As it goes over the wire, not mended by any URL parser. */
  path: string
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
}

export interface Received {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Longer than anything takes on the slowest machine: whoever waits longer is not answered at all. */
const patienceMs = 60_000

export type Wire = ReturnType<typeof wire>

/**
 * Real HTTP to a listening server: an injected request would pass by what is answered before the router, and would have
 * its address mended on the way.
 */
export function wire(origin: string) {
  const { hostname, port } = new URL(origin)
  const agent = new Agent({ keepAlive: true })
  return {
    origin,
    port: Number(port),
    close: () => agent.destroy(),
    send: ({ method, path, headers = {}, body }: Sent) =>
      new Promise<Received>((resolve, reject) => {
        const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
        const asked = request({ agent, hostname, port, method, path, headers: { ...length, ...headers } }, (answer) => {
          // A stream would go on for ever; that it has begun is its answer.
          if (String(answer.headers["content-type"]).startsWith("text/event-stream")) {
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: "" })
            asked.destroy()
            return
          }
          const pieces: Buffer[] = []
          answer.on("data", (piece: Buffer) => pieces.push(piece))
          answer.on("error", reject)
          answer.on("end", () => {
            const text = Buffer.concat(pieces).toString("utf8")
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
          })
        })
        asked.on("error", reject)
        asked.setTimeout(patienceMs, () => asked.destroy(new Error("no answer came")))
        asked.end(body)
      }),
  }
}

/** The envelope of an answer; nothing when the answer is none. */
export function envelopeOf({ headers, text }: Received): Envelope | undefined {
  if (!String(headers["content-type"]).startsWith("application/json")) return undefined
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed !== "object" || parsed === null) return undefined
  const fields = Object.keys(parsed).sort().join(" ")
  return fields === "data error msg" ? (parsed as Envelope) : undefined
}
