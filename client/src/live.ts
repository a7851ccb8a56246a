import type { IncomingMessage } from "node:http"
import { promises as timers } from "node:timers"
import { openResponse, Refusal } from "./api.ts"
import { reconnectMs } from "./backoff.ts"
import type { Snapshot } from "./cache.ts"
import { hidden } from "./environment.ts"
import { EnvkeepError } from "./error.ts"
import { fieldOf, readEvents } from "./event-stream.ts"
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
        const events = readEvents({ signal, timeoutMs: silenceTimeoutMs, open: (ends) => openStream(target, ends) })
        for await (const event of events) {
          const name = fieldOf(event, "event")
          if (name === "gone") throw noLongerValid()
          // What changed is read again, whatever the event says about it. A heartbeat says nothing.
          if (!name) continue
          await update()
          failures = 1
        }
      } catch (error) {
        const ending = endingOf(error)
        if (!signal.aborted && ending !== undefined) {
          queueMicrotask(() => onEnd(ending))
          return
        }
        // The last good values stay in use, and the next connection tells what was missed.
        askedMs = (error as Partial<Refusal>).retryAfterMs
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

/** An answer that carries events. */
async function openStream(target: Target, signal: AbortSignal): Promise<IncomingMessage> {
  const response = await openResponse(target, { path: `/collections/${target.collection.id}/live`, signal })
  const { statusCode = 0, headers } = response
  // During a deployment, a proxy may answer with such a status, in its own words.
  const isOwn = headers["content-type"]?.startsWith("application/json")
  if (isOwn && endingStatuses.includes(statusCode)) throw noLongerValid()
  const retryAfterMs = Number(headers["retry-after"]) * 1_000 || 0
  if (statusCode !== 200) throw Object.assign(new Error(), { retryAfterMs })
  return response
}
