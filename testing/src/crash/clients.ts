import { type Envelope, sentences } from "@envkeep/contract"
import { waitTimeoutMs } from "../time-limits.ts"

/** The server to call. Its URL changes with every start. */
export interface Target {
  url: string
}

/**
 * The outcome of a write: acknowledged (`done`), `refused` with an answer that says that nothing was changed, or `unknown`
 * because no answer came or the answer itself says so.
 */
export type Outcome<Data> = { kind: "done"; data: Data } | { kind: "refused" } | { kind: "unknown" }

/** Of a lost connection, and of a disk that failed while it saved. */
const unknownOutcomes: string[] = [sentences.outcomeUnknown, sentences.savedUnknown]

export type Browser = ReturnType<typeof browser>

/** A client with cookies. */
export function browser(target: Target, cookies = new Map<string, string>()) {
  const self = {
    cookies,
    async call<Data>(method: string, path: string, body?: unknown): Promise<{ status: number } & Envelope<Data>> {
      const response = await fetch(`${target.url}/api${path}`, {
        method,
        headers: {
          cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(waitTimeoutMs),
      })
      const envelope = (await response.json()) as Envelope<Data>
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      return { status: response.status, ...envelope }
    },
    /** A missing answer is an outcome too. Throws on any refusal but that of a server that cannot reach its store. */
    async write<Data>(method: string, path: string, body?: unknown): Promise<Outcome<Data>> {
      const answer = await self.call<Data>(method, path, body).catch(() => undefined)
      if (answer === undefined || unknownOutcomes.includes(answer.msg)) return { kind: "unknown" }
      if (answer.status < 300) return { kind: "done", data: answer.data }
      if (answer.status === 503 && answer.msg.includes("Nothing was changed")) return { kind: "refused" }
      throw new Error(`${method} ${path.replaceAll(/\d+/g, "N")} was answered ${answer.status}: ${answer.msg}`)
    },
    /** The lines of an export. */
    async readLines(path: string): Promise<string[]> {
      const response = await fetch(`${target.url}/api${path}`, {
        headers: { cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ") },
        signal: AbortSignal.timeout(waitTimeoutMs),
      })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`GET ${path} was answered ${response.status}: ${text}`)
      return text.split("\n").slice(0, -1)
    },
    async read<Data>(path: string): Promise<Data> {
      const { status, msg, data } = await self.call<Data>("GET", path)
      if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${msg}`)
      return data
    },
  }
  return self
}

/** Reads the variables with an API key. */
export async function readByKey({ url }: Target, key: string, connection = "keep-alive") {
  const response = await fetch(`${url}/api/v1/variables`, {
    headers: { authorization: `Bearer ${key}`, connection },
    signal: AbortSignal.timeout(waitTimeoutMs),
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    revision: Number(response.headers.get("envkeep-revision")),
    stale: response.headers.get("envkeep-stale"),
  }
}
