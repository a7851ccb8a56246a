import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { text as textOf } from "node:stream/consumers"
import type { Envelope } from "@envkeep/contract"
import type { Request } from "./load/request.ts"

export interface Reply {
  /** 0 for a call that got no answer; the text then says why. */
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Makes calls whose answers the caller looks at, whatever they are. */
export interface Client {
  ask(request: Request): Promise<Reply>
  /** Ends its connections, which stay open until then. */
  close(): void
}

/** With `timeoutMs`, a call that takes longer gets no answer. */
export function clientOf(url: string, { timeoutMs }: { timeoutMs?: number } = {}): Client {
  const agent = new Agent({ keepAlive: true })
  const send = ({ method = "GET", path, headers = {}, body }: Request): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const typed = body === undefined ? {} : { "content-type": "application/json" }
      const limit = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }
      const call = request(
        `${url}${path}`,
        { agent, method, headers: { ...typed, ...headers }, ...limit },
        (answer) => {
          const { statusCode: status = 0, headers } = answer
          textOf(answer).then((text) => resolve({ status, headers, text }), reject)
        },
      )
      call.on("error", reject)
      call.end(typeof body === "string" ? body : JSON.stringify(body))
    })
  return {
    ask: (request) => send(request).catch((error: Error) => ({ status: 0, headers: {}, text: error.message })),
    close: () => agent.destroy(),
  }
}

export async function askOnce(url: string, request: Request): Promise<Reply> {
  const client = clientOf(url)
  const reply = await client.ask(request)
  client.close()
  return reply
}

/** A call that must succeed. */
export async function call<Data>(url: string, request: Request): Promise<Data> {
  const { status, text } = await askOnce(url, { ...request, path: `/api${request.path}` })
  if (status < 200 || status > 299) throw new Error(`${request.method ?? "GET"} ${request.path}: ${status} ${text}`)
  return (JSON.parse(text) as Envelope<Data>).data
}

/** The cookies of a login, to send back. */
export function cookieOf({ headers }: Reply): string {
  return (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]).join("; ")
}
