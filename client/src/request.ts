import type { IncomingMessage } from "node:http"
import { promises as timers } from "node:timers"
import { backoffMs } from "./backoff.ts"
import { badKey, EnvkeepError } from "./error.ts"
import { causeOf, messageIn } from "./network-error.ts"
import { protocolOf } from "./protocol.ts"
import type { Settings } from "./settings.ts"
import { version } from "./version.ts"

export interface Answer {
  status: number
  headers: IncomingMessage["headers"]
  text: string
}

/** `isAway`: the server may come back, so a retry makes sense, and a cached answer is acceptable until then. */
export interface Failure {
  error: EnvkeepError
  isAway: boolean
  retryAfterMs?: number
}

/** The largest environment takes less, even with every character escaped. */
const maxAnswerBytes = 128 * 1024 * 1024
/** Of a failure only the message is read, if it is short enough to be one. */
const maxFailureBytes = 64 * 1024

/** A good answer, or the reason why the last attempt failed. */
export async function request(settings: Settings, path: string): Promise<Answer | Failure> {
  for (let attempts = 1; ; attempts++) {
    const outcome = await requestOnce(settings, path)
    if (!("error" in outcome) || !outcome.isAway || attempts > settings.retries) return outcome
    // Waits as long as the server asks, but never longer than one attempt may take.
    await timers.setTimeout(Math.max(backoffMs(attempts), Math.min(outcome.retryAfterMs ?? 0, settings.timeoutMs)))
  }
}

async function requestOnce(settings: Settings, path: string): Promise<Answer | Failure> {
  const signal = AbortSignal.timeout(settings.timeoutMs)
  try {
    const response = await openResponse(settings, path, signal)
    const { statusCode: status = 0, headers } = response
    const text = await readText(response, status === 200 ? maxAnswerBytes : maxFailureBytes)
    const failure = failureOf(settings, { status, headers, text: text ?? "" })
    if (failure !== undefined) return failure
    return text === undefined ? { error: tooLong(settings), isAway: false } : { status, headers, text }
  } catch (error) {
    return { error: signal.aborted ? timedOut(settings) : unreachable(settings, error), isAway: true }
  }
}

/** Undefined if it is longer than that. The rest is not read. */
async function readText(response: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Resolves when the headers have arrived. Redirects are not followed, so that the key goes to no other server. */
export async function openResponse(
  settings: Settings,
  path: string,
  signal: AbortSignal,
  held?: { revision: number },
): Promise<IncomingMessage> {
  const url = settings.url + path
  const headers = {
    authorization: `Bearer ${settings.key}`,
    "user-agent": `envkeep/${version}`,
    ...(settings.instance && { "envkeep-instance": settings.instance }),
    ...(held && { "envkeep-holds": String(held.revision) }),
  }
  const { request, agent } = await protocolOf(url)
  return new Promise((resolve, reject) => {
    request(url, { agent, signal, headers }, resolve).on("error", reject).end()
  })
}

/** What is wrong with an answer, if anything. */
export function failureOf(settings: Settings, { status, headers, text }: Answer): Failure | undefined {
  if (status === 200) return undefined
  if (status === 401) return { error: badKey(), isAway: false }
  const server = (what: string) => new EnvkeepError("server", `The server at ${settings.url} ${what}`)
  const { location = "" } = headers
  if (status >= 300 && status < 400 && URL.canParse(location, settings.url)) {
    const { origin } = new URL(location, settings.url)
    // To a page of its own, it may be something in front of the server that asks for a login.
    if (/^https?:/.test(origin) && origin !== new URL(settings.url).origin)
      return { error: server(`has moved to ${origin}: set ENVKEEP_URL`), isAway: false }
  }
  const message = messageIn(text)
  return {
    error: server(message === undefined ? `answered with status ${status}` : `says: ${message}`),
    isAway: status >= 500 || status === 429,
    retryAfterMs: Number(headers["retry-after"]) * 1_000 || 0,
  }
}

function tooLong({ url }: Settings): EnvkeepError {
  return new EnvkeepError("server", `The server at ${url} sent more than ${maxAnswerBytes / 1024 / 1024} MiB`)
}

function timedOut({ url, timeoutMs }: Settings): EnvkeepError {
  return new EnvkeepError("timeout", `The server at ${url} did not answer within ${timeoutMs} ms`)
}

function unreachable({ url }: Settings, error: unknown): EnvkeepError {
  return new EnvkeepError("unreachable", `The server at ${url} cannot be reached: ${causeOf(error)}`)
}
