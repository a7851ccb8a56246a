import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { buffer } from "node:stream/consumers"

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The parts of an answer that the traffic uses; not every answer has both. */
  data: { id?: number; key?: string } | undefined
}

export interface Ask {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: unknown
}

/** Calls over keep-alive connections; `close` ends all of them. With `timeoutMs`, a call that takes longer fails. */
export function createClient(port: number, { timeoutMs }: { timeoutMs?: number } = {}) {
  const agent = new Agent({ keepAlive: true })
  return {
    ask: ({ method = "GET", path, headers = {}, body }: Ask): Promise<Reply> =>
      new Promise((resolve, reject) => {
        const text = typeof body === "string" ? body : JSON.stringify(body)
        const typed = body === undefined ? {} : { "content-type": "application/json" }
        const limit = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }
        const options = { host: "127.0.0.1", port, agent, method, path, headers: { ...typed, ...headers }, ...limit }
        const call = request(options, (response) => {
          const { statusCode: status = 0, headers } = response
          buffer(response).then((bytes) => resolve({ status, headers, ...readBody(bytes, headers) }), reject)
        })
        call.on("error", reject)
        call.end(text)
      }),
    close: () => agent.destroy(),
  }
}

export type Client = ReturnType<typeof createClient>

function readBody(bytes: Buffer, headers: IncomingHttpHeaders): Pick<Reply, "text" | "data"> {
  const text = bytes.toString("utf8")
  const isJson = text !== "" && String(headers["content-type"]).startsWith("application/json")
  return { text, data: isJson ? JSON.parse(text).data : undefined }
}
