import { promises as timers } from "node:timers"
import { openResponse, Refusal } from "./api.ts"
import { reconnectMs } from "./backoff.ts"
import type { Snapshot } from "./cache.ts"
import { hidden } from "./environment.ts"
import { EnvkeepError } from "./error.ts"
import type { Target } from "./target.ts"

interface Follower {
  read: () => Promise<Snapshot>
  onRead: (snapshot: Snapshot) => void
  onEnd: (error: EnvkeepError) => void
}

/** The server sends a heartbeat every 15 seconds, so a connection that is silent for this long is dead. */
const silenceTimeoutMs = 45_000

/** With these, the login can no longer read the environment. Every other failure may pass. */
const endingStatuses = [401, 403, 404]

/** Reads the environment again whenever something of its collection has changed, until the returned function is called. */
export function followEnvironment(target: Target, { read, onRead, onEnd }: Follower): () => void {
  const stopped = new AbortController()
  const { signal } = stopped
  void run()
  return () => stopped.abort()

  async function run(): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      let askedMs: number | undefined
      try {
        for await (const event of events(target, signal)) {
          if (event === "gone") throw noLongerValid()
          if (event !== "") await update()
          failures = 1
        }
      } catch (error) {
        const ending = endingOf(error)
        if (!signal.aborted && ending !== undefined) {
          queueMicrotask(() => onEnd(ending))
          return
        }
        // The last good values stay in use, and the next connection tells what was missed.
        askedMs = error instanceof RetryLater ? error.afterMs : undefined
      }
      await timers.setTimeout(reconnectMs(failures, askedMs), undefined, { signal }).catch(() => undefined)
    }
  }

  async function update(): Promise<void> {
    const next = await read()
    // In its own microtask, so that an error thrown by a listener is not taken for a broken connection.
    queueMicrotask(() => signal.aborted || onRead(next))
  }
}

/** The server asks for a pause. */
class RetryLater extends Error {
  readonly afterMs: number

  constructor(afterMs: number) {
    super()
    this.afterMs = afterMs
  }
}

/** Undefined if it makes sense to try again. */
function endingOf(error: unknown): EnvkeepError | undefined {
  if (error instanceof EnvkeepError) return error
  const isRefused = error instanceof Refusal && endingStatuses.includes(error.status)
  const { message } = error as Error
  return isRefused || message === hidden().message ? new EnvkeepError("bad_key", message) : undefined
}

function noLongerValid(): EnvkeepError {
  return new EnvkeepError("bad_key", "The login is no longer valid")
}

/** The names of the events, and nothing of their data: what changed is read again. */
async function* events(target: Target, signal: AbortSignal): AsyncGenerator<string> {
  const connection = new AbortController()
  const close = () => connection.abort()
  signal.addEventListener("abort", close)
  let timer = setTimeout(close, silenceTimeoutMs)
  try {
    const path = `/collections/${target.collection.id}/live`
    const response = await openResponse(target, { path, signal: connection.signal })
    const { statusCode = 0, headers } = response
    // During a deployment, a proxy may answer with such a status, in its own words.
    const isOwn = headers["content-type"]?.startsWith("application/json")
    if (isOwn && endingStatuses.includes(statusCode)) throw noLongerValid()
    if (statusCode !== 200) throw new RetryLater(Number(headers["retry-after"]) * 1_000 || 0)
    let rest = ""
    for await (const piece of response) {
      clearTimeout(timer)
      timer = setTimeout(close, silenceTimeoutMs)
      rest = (rest + String(piece)).slice(-65_536)
      const lines = rest.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line.startsWith("event:")) yield line.slice("event:".length).trim()
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", close)
    connection.abort()
  }
}
