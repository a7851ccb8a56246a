import { type IncomingMessage, type RequestOptions, request } from "node:http"
import { promises as timers } from "node:timers"
import { EnvkeepError } from "./error.ts"
import type { Settings } from "./settings.ts"

export interface Answer {
  status: number
  headers: IncomingMessage["headers"]
  text: string
}

/** `isAway`: the server may be back later, and until then an older answer may do. */
export interface Failure {
  error: EnvkeepError
  isAway: boolean
  retryAfter?: number
}

/** A good answer, or why there is none after all tries. */
export async function ask(settings: Settings, path: string): Promise<Answer | Failure> {
  for (let tried = 1; ; tried++) {
    const outcome = await askOnce(settings, path)
    if (!("error" in outcome) || !outcome.isAway || tried > settings.retries) return outcome
    // A server that names a time is given it, but never more than a try may take.
    await timers.setTimeout(Math.max(backoff(tried), Math.min(outcome.retryAfter ?? 0, settings.timeout)))
  }
}

/** Doubles with each failure up to 5 seconds, and is scattered so that clients do not come back all at once. */
export function backoff(failures: number): number {
  return Math.min(5_000, 100 * 2 ** failures) * (0.5 + Math.random() / 2)
}

async function askOnce(settings: Settings, path: string): Promise<Answer | Failure> {
  const signal = AbortSignal.timeout(settings.timeout)
  try {
    const response = await open(settings, path, signal)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const { statusCode: status = 0, headers } = response
    const answer = { status, headers, text: Buffer.concat(chunks).toString("utf8") }
    return refusal(settings, answer) ?? answer
  } catch (error) {
    return signal.aborted ? late(settings) : unreachable(settings, error)
  }
}

/** Resolves when the head of the answer is there. Redirects are not followed: the key goes nowhere it was not sent. */
export async function open(settings: Settings, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  const url = settings.url + path
  const options: RequestOptions = { agent: false, signal, headers: { authorization: `Bearer ${settings.key}` } }
  // TLS takes its time to load: only who needs it waits for it.
  const send = url.startsWith("https:") ? (await import("node:https")).request : request
  return new Promise((resolve, reject) => {
    send(url, options, resolve).on("error", reject).end()
  })
}

/** What is wrong with an answer, if anything is. */
export function refusal(settings: Settings, { status, headers, text }: Answer): Failure | undefined {
  if (status === 200) return undefined
  if (status === 401) return { error: badKey(), isAway: false }
  const server = (what: string) => new EnvkeepError("server", `The server at ${settings.url} ${what}`)
  const { location } = headers
  if (status >= 300 && status < 400 && location !== undefined && URL.canParse(location, settings.url)) {
    const { origin } = new URL(location, settings.url)
    return { error: server(`has moved to ${origin}: set ENVKEEP_URL`), isAway: false }
  }
  const told = sentence(text)
  return {
    error: server(told === undefined ? `answered with status ${status}` : `says: ${told}`),
    isAway: status >= 500 || status === 429,
    retryAfter: Number(headers["retry-after"]) * 1_000 || 0,
  }
}

export function badKey(): EnvkeepError {
  return new EnvkeepError("bad_key", "The API key is not valid: it was deleted or never made here")
}

function late({ url, timeout }: Settings): Failure {
  return {
    error: new EnvkeepError("timeout", `The server at ${url} did not answer within ${timeout} ms`),
    isAway: true,
  }
}

const causes: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "its name could not be looked up",
}

export function unreachable({ url }: Settings, error: unknown): Failure {
  const { code = "", message = "" } = error as { code?: string; message?: string }
  const cause = causes[code] ?? (message || code)
  return { error: new EnvkeepError("unreachable", `The server at ${url} cannot be reached: ${cause}`), isAway: true }
}

/** The server's own words, in one line that leaves a terminal alone. */
function sentence(text: string): string | undefined {
  try {
    const { msg } = JSON.parse(text)
    return typeof msg === "string" ? msg.replace(/\p{Cc}+/gu, " ").slice(0, 500) : undefined
  } catch {
    return undefined
  }
}
