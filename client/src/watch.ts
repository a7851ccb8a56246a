import { promises as timers } from "node:timers"
import { backoffMs } from "./backoff.ts"
import type { Snapshot } from "./cache.ts"
import { badKey, EnvkeepError, notEnvkeep } from "./error.ts"
import { failureOf, openResponse } from "./request.ts"
import { select, unknownNames } from "./select.ts"
import type { Settings } from "./settings.ts"
import { fetchSnapshot } from "./snapshot.ts"

export interface Listener {
  onChange: (snapshot: Snapshot) => void
  /** The key stopped working, and nothing more will come. */
  onEnd: (error: EnvkeepError) => void
}

/** Events are a few dozen characters long. */
const maxEventLength = 64 * 1024

/** After a connection that lasted this long, counting failures starts over. */
const stableConnectionMs = 5_000

/**
 * Waits for new revisions and fetches each of them. Every failure is retried with growing pauses, while the last good
 * values stay in use. The server sends its revision on every new connection, so a change in between is not missed.
 */
export function watch(settings: Settings, start: Snapshot, { onChange, onEnd }: Listener): () => void {
  const stopped = new AbortController()
  const { signal } = stopped
  let seen = start
  let handedOver = start
  void run()
  return () => stopped.abort()

  async function run(): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      const connectedAt = Date.now()
      try {
        for await (const { event, data } of events(settings, signal, seen)) {
          if (event === "gone") throw badKey()
          if (event === "revision") await update(JSON.parse(data).revision)
        }
      } catch (error) {
        if (!signal.aborted && error instanceof EnvkeepError && error.code === "bad_key") {
          queueMicrotask(() => onEnd(error))
          return
        }
      }
      if (Date.now() - connectedAt > stableConnectionMs) failures = 1
      await timers.setTimeout(backoffMs(failures), undefined, { signal }).catch(() => undefined)
    }
  }

  async function update(revision: number): Promise<void> {
    if (revision === seen.revision) return
    const next = await fetchSnapshot(settings)
    if ("error" in next) throw next.error
    // Behind a load balancer another node may answer, which learns of a revision up to a second later. There will be no
    // second event, so this is retried like a failure.
    if (next.revision < revision) throw new Error()
    // A new revision may have the same values: renaming the environment makes one too.
    const isNew = contents(next) !== contents(seen)
    seen = next
    // In its own microtask, so that an error thrown by a listener is not taken for a broken connection.
    if (isNew) queueMicrotask(() => signal.aborted || handOver(next))
  }

  /** A program that asked for a variable by name must not go on without it, so it keeps what it has. */
  function handOver(next: Snapshot): void {
    const missing = unknownNames(settings.only, next)
    if (missing !== "") {
      settings.warn(`the environment no longer has the variable ${missing}: the last good values stay in use`)
      return
    }
    // A variable that was deleted may be back with the same value.
    if (contents(next) === contents(handedOver)) return
    handedOver = next
    onChange(next)
  }

  function contents(snapshot: Snapshot): string {
    const { variables, damaged } = select(settings, snapshot)
    return JSON.stringify([variables.map(({ name, value }) => [name, value]), damaged])
  }
}

/** The events of one connection, until it ends, breaks or stays silent for too long. */
async function* events(
  settings: Settings,
  signal: AbortSignal,
  held: Snapshot,
): AsyncGenerator<{ event: string; data: string }> {
  const connection = new AbortController()
  const close = () => connection.abort()
  signal.addEventListener("abort", close)
  let timer = setTimeout(close, settings.timeoutMs)
  try {
    const response = await openResponse(settings, "/api/v1/variables/watch", connection.signal, held)
    const { statusCode: status = 0, headers } = response.setEncoding("utf8")
    const failure = failureOf(settings, { status, headers, text: "" })
    if (failure !== undefined) throw failure.error
    let unread = ""
    for await (const chunk of response) {
      clearTimeout(timer)
      timer = setTimeout(close, settings.silenceTimeoutMs)
      const blocks = `${unread}${chunk}`.split("\n\n")
      unread = blocks.pop() ?? ""
      if (unread.length > maxEventLength) throw notEnvkeep(settings.url)
      for (const block of blocks) yield { event: field(block, "event"), data: field(block, "data") }
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", close)
    connection.abort()
  }
}

function field(block: string, name: string): string {
  return new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? ""
}
