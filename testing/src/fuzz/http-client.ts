import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http"
import type { Envelope } from "@envkeep/contract"
import { waitTimeoutMs } from "../time-limits.ts"

export interface HttpRequest {
  method: string
  /** Sent exactly as it is, without a URL parser in between that would correct it. */
  path: string
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
}

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export type HttpClient = ReturnType<typeof createHttpClient>

/**
 * Sends real HTTP requests to a listening server. An injected request would bypass the code that answers before the
 * router, and its URL would be corrected on the way.
 */
export function createHttpClient(origin: string) {
  const { hostname, port } = new URL(origin)
  const agent = new Agent({ keepAlive: true })
  return {
    origin,
    port: Number(port),
    close: () => agent.destroy(),
    send: ({ method, path, headers = {}, body }: HttpRequest) =>
      new Promise<HttpResponse>((resolve, reject) => {
        const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
        const outgoing = request(
          { agent, hostname, port, method, path, headers: { ...length, ...headers } },
          (answer) => {
            // An event stream never ends; its headers are the answer.
            if (String(answer.headers["content-type"]).startsWith("text/event-stream")) {
              resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: "" })
              outgoing.destroy()
              return
            }
            const pieces: Buffer[] = []
            answer.on("data", (piece: Buffer) => pieces.push(piece))
            answer.on("error", reject)
            answer.on("end", () => {
              const text = Buffer.concat(pieces).toString("utf8")
              resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
            })
          },
        )
        outgoing.on("error", reject)
        outgoing.setTimeout(waitTimeoutMs, () => outgoing.destroy(new Error(`no answer within ${waitTimeoutMs} ms`)))
        outgoing.end(body)
      }),
  }
}

/** Makes a call such as `POST /collection` as a browser does, with the cookie of a session. */
export function callAs(
  { send }: Pick<HttpClient, "send">,
  token: string | undefined,
  call: string,
  body?: unknown,
): Promise<HttpResponse> {
  const [method = "", path] = call.split(" ")
  const headers = {
    ...(token === undefined ? {} : { cookie: `envkeep_session=${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  }
  return send({ method, path: `/api${path}`, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
}

/** The data of its answer. */
export async function dataFor<Data>(...call: Parameters<typeof callAs>): Promise<Data> {
  return envelopeOf(await callAs(...call))?.data as Data
}

/** The envelope of an answer; undefined if the answer is not an envelope. */
export function envelopeOf({ headers, text }: HttpResponse): Envelope | undefined {
  if (!String(headers["content-type"]).startsWith("application/json")) return undefined
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed !== "object" || parsed === null) return undefined
  const fields = Object.keys(parsed).sort().join(" ")
  return fields === "data error msg" ? (parsed as Envelope) : undefined
}
