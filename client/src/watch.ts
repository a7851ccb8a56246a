import type { IncomingMessage } from "node:http"
import { promises as timers } from "node:timers"
import { reconnectMs } from "./backoff.ts"
import { type Snapshot, writeCache } from "./cache.ts"
import { badKey, EnvkeepError } from "./error.ts"
import { fieldOf, readEvents } from "./event-stream.ts"
import { type Failure, failureOf, openResponse } from "./request.ts"
import type { Settings } from "./settings.ts"
import { fetchSnapshot } from "./snapshot.ts"
import { passChanges } from "./watch-changes.ts"

export interface Listener {
  onChange: (snapshot: Snapshot) => void
  /** The key stopped working, and nothing more will come. */
  onEnd: (error: EnvkeepError) => void
}

/**
 * Waits for new revisions and fetches each of them. Every failure is retried with growing pauses, while the last good
 * values stay in use. The server sends its revision on every new connection, so a change in between is not missed.
 */
export function watch(settings: Settings, start: Snapshot, { onChange, onEnd }: Listener): () => void {
  const stopped = new AbortController()
  const { signal } = stopped
  const handOver = passChanges(settings, start, onChange)
  let seen = start
  let cachedAtMs = 0
  void run()
  return () => stopped.abort()

  async function run(): Promise<void> {
    // After a connection that lasted this long, counting failures starts over.
    const stableConnectionMs = 5_000
    for (let failures = 1; !signal.aborted; failures++) {
      const connectedAt = Date.now()
      let askedMs: number | undefined
      try {
        await follow()
      } catch (error) {
        if (!signal.aborted && error instanceof EnvkeepError && error.code === "bad_key") {
          queueMicrotask(() => onEnd(error))
          return
        }
        askedMs = (error as Partial<Failure>).retryAfterMs
      }
      if (Date.now() - connectedAt > stableConnectionMs) failures = 1
      await timers.setTimeout(reconnectMs(failures, askedMs), undefined, { signal }).catch(() => undefined)
    }
  }

  /** One connection, until it ends. */
  async function follow(): Promise<void> {
    const hourMs = 3_600_000
    const { maxStaleMs = 0 } = settings.cache ?? {}
    let isConfirmed = false
    const { timeoutMs, silenceTimeoutMs } = settings
    const open = (signal: AbortSignal) => openStream(settings, signal, seen)
    for await (const event of readEvents({ signal, timeoutMs, silenceTimeoutMs, open })) {
      const name = fieldOf(event, "event")
      if (name === "gone") throw badKey()
      if (name === "revision") {
        await update(JSON.parse(fieldOf(event, "data") ?? "").revision)
        isConfirmed = true
      }
      // What the server still confirms is not stale, however long ago it was fetched. Heartbeats come here too, so this needs
      // no timer, which would keep a program from ending.
      if (isConfirmed && Math.abs(Date.now() - cachedAtMs) > Math.min(hourMs, maxStaleMs / 2)) {
        cachedAtMs = Date.now()
        await writeCache(settings, seen)
      }
    }
  }

  async function update(revision: number): Promise<void> {
    if (revision === seen.revision) return
    const next = await fetchSnapshot(settings)
    if ("error" in next) throw next.error
    // Behind a load balancer another node may answer, which learns of a revision up to a second later. There will be no
    // second event, so this is retried like a failure.
    if (next.revision < revision) throw new Error()
    seen = next
    // In its own microtask, so that an error thrown by a listener is not taken for a broken connection.
    queueMicrotask(() => signal.aborted || handOver(next))
  }
}

/** An answer that carries events. */
async function openStream(settings: Settings, signal: AbortSignal, held: Snapshot): Promise<IncomingMessage> {
  const response = await openResponse(settings, "/api/v1/variables/watch", signal, held)
  const { statusCode: status = 0, headers } = response
  const failure = failureOf(settings, { status, headers, text: "" })
  // The whole failure says how long to wait.
  if (failure !== undefined) throw failure.isAway ? failure : failure.error
  return response
}
