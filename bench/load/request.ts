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
