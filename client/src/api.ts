import type { IncomingMessage } from "node:http"
import { promises as timers } from "node:timers"
import { backoffMs } from "./backoff.ts"
import { CommandError } from "./messages.ts"
import { causeOf, messageIn } from "./network-error.ts"
import { printable } from "./output.ts"
import { protocolOf } from "./protocol.ts"
import { version } from "./version.ts"

/** A server, and the personal token that stands for its user there. */
export interface Session {
  url: string
  token: string
}

export interface Call {
  method?: "GET" | "POST" | "PUT" | "DELETE"
  path: string
  body?: unknown
  timeoutMs?: number
  retries?: number
  /** Nothing of its user's is changed, whatever its method is. */
  changesNothing?: true
}

const maxAnswerBytes = 128 * 1024 * 1024

/** A refusal of the server. */
export class Refusal extends CommandError {
  readonly status: number
  /** How long the server asks to wait. */
  readonly retryAfterMs: number

  constructor(message: string, { status, retryAfterMs }: Pick<Answer, "status" | "retryAfterMs">, hint?: string) {
    super(message, hint)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** No answer, or not all of it. */
class NoAnswer extends CommandError {}

/** How long to wait before the call is repeated. Undefined if that would not help. */
export function repeatAfterMs(error: unknown): number | undefined {
  if (error instanceof NoAnswer) return 0
  return error instanceof Refusal && isAway(error.status) ? error.retryAfterMs : undefined
}

function isAway(status: number): boolean {
  return status >= 500 || status === 429
}

/** The data of the answer. Only reads are retried: a change may have been made although its answer was lost. */
export async function api<Data>(server: { url: string; token?: string }, call: Call): Promise<Data> {
  const { method = "GET", retries = method === "GET" ? 2 : 0 } = call
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt(server, call)
    if ("text" in outcome && outcome.status < 300) return dataOf(server.url, outcome.text) as Data
    const mayComeBack = "error" in outcome || isAway(outcome.status)
    if (mayComeBack && attempts <= retries) await timers.setTimeout(backoffMs(attempts))
    else throw "error" in outcome ? lost(server.url, call, outcome) : refusalOf(server, outcome)
  }
}

interface Answer {
  status: number
  text: string
  location: string
  retryAfterMs: number
}
interface Lost {
  error: unknown
  wasSent: boolean
  isTimeout: boolean
  timeoutMs: number
}

async function attempt(server: { url: string; token?: string }, call: Call): Promise<Answer | Lost> {
  const { timeoutMs = 10_000 } = call
  const signal = AbortSignal.timeout(timeoutMs)
  let wasSent = false
  const onSent = () => {
    wasSent = true
  }
  try {
    const response = await openResponse(server, { ...call, signal, onSent })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes > maxAnswerBytes) throw new Error("its answer is too long")
      chunks.push(chunk)
    }
    const { statusCode: status = 0, headers } = response
    const retryAfterMs = Number(headers["retry-after"]) * 1_000 || 0
    return { status, text: Buffer.concat(chunks).toString("utf8"), location: headers.location ?? "", retryAfterMs }
  } catch (error) {
    return { error, wasSent, isTimeout: signal.aborted, timeoutMs }
  }
}

interface Opening extends Call {
  signal: AbortSignal
  onSent?: () => void
}

/** Resolves when the headers have arrived. Redirects are not followed, so that the token goes to no other server. */
export async function openResponse(
  { url, token }: { url: string; token?: string },
  { method = "GET", path, body, signal, onSent }: Opening,
): Promise<IncomingMessage> {
  const target = `${url}/api${path}`
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    "user-agent": `envkeep/${version}`,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
  }
  const { request, agent, isSecure } = await protocolOf(target)
  return new Promise((resolve, reject) => {
    const sending = request(target, { method, agent, signal, headers }, resolve).on("error", reject)
    // Nothing is sent to a server whose certificate is refused.
    sending.on("socket", (socket) => {
      // A connection through a proxy is only handed over when it is ready. Node's types lack this property.
      if ((socket as { secureConnecting?: boolean }).secureConnecting === false) onSent?.()
      else socket.once(isSecure ? "secureConnect" : "connect", () => onSent?.())
    })
    sending.end(text)
  })
}

function dataOf(url: string, text: string): unknown {
  try {
    const { data } = JSON.parse(text)
    if (data !== undefined) return data
  } catch {
    // It is not JSON.
  }
  throw new CommandError(`${url} is not an Envkeep server`)
}

function lost(url: string, { method = "GET", changesNothing }: Call, outcome: Lost): NoAnswer {
  const { error, wasSent, isTimeout, timeoutMs } = outcome
  const what = isTimeout ? `did not answer within ${timeoutMs} ms` : `cannot be reached: ${causeOf(error)}`
  const message = `the server at ${url} ${what}`
  if (method === "GET" || changesNothing || !wasSent) return new NoAnswer(message)
  return new NoAnswer(
    `${message}, so it is unknown whether the change was saved`,
    "run it again: it compares with the server first",
  )
}

function refusalOf({ url, token = "" }: { url: string; token?: string }, answer: Answer): Refusal {
  const { status, text, location } = answer
  if (status === 401 && token !== "") {
    return isOfPipeline(token)
      ? new Refusal(
          `the token in ENVKEEP_TOKEN is not valid at ${url}`,
          answer,
          "make another, or unset it to use a login",
        )
      : new Refusal(`the login at ${url} is no longer valid`, answer, `run envkeep login ${url}`)
  }
  const movedTo = status >= 300 && status < 400 && URL.canParse(location, url) && new URL(location, url).origin
  if (movedTo && movedTo !== new URL(url).origin) {
    return new Refusal(`the server at ${url} has moved to ${movedTo}`, answer)
  }
  const message = messageIn(text)
  const line = message === undefined ? `answered with status ${status}` : `says: ${message}`
  return new Refusal([`the server at ${url} ${line}`, ...conflictLines(text)].join("\n"), answer)
}

/** As long as it is set, a login would not be used. */
function isOfPipeline(token: string): boolean {
  return process.env["ENVKEEP_TOKEN"]?.trim() === token
}

interface Conflict {
  name: string
  revision: number
  by: string | null
  at: string | null
  isDeleted: boolean
}

/** Who changed what, and when. */
function conflictLines(text: string): string[] {
  try {
    const conflicts: Conflict[] = JSON.parse(text).data?.conflicts ?? []
    return conflicts.map(({ name, revision, by, at, isDeleted }) => {
      const who = by === null ? "" : ` by ${printable(by)}`
      return `  ${printable(name)}: ${isDeleted ? "deleted" : "changed"}${who}${at === null ? "" : `, ${at}`} (revision ${revision})`
    })
  } catch {
    return []
  }
}
