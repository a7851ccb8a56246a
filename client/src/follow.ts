import { promises as timers } from "node:timers"
import { EnvkeepError } from "./error.ts"
import { backoff, badKey, open, refusal } from "./request.ts"
import type { Settings } from "./settings.ts"
import { fetchSnapshot, type Snapshot } from "./snapshot.ts"

export interface Follower {
  onChange: (snapshot: Snapshot) => void
  /** The key stopped working: nothing more will come. */
  onEnd: (error: EnvkeepError) => void
}

/** A connection that held for so long was a good one: the next failure is a first one again. */
const goodConnection = 5_000

/**
 * Hears of new revisions and fetches each. Whatever breaks is tried again, ever more slowly, while the last good values
 * stand; the server tells its revision on every connection, so what was missed in between is made up for.
 */
export function follow(settings: Settings, start: Snapshot, { onChange, onEnd }: Follower): () => void {
  const stopped = new AbortController()
  const { signal } = stopped
  let current = start
  void run()
  return () => stopped.abort()

  async function run(): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      const began = Date.now()
      try {
        for await (const { event, data } of events(settings, signal)) {
          if (event === "gone") throw badKey()
          if (event === "revision" && JSON.parse(data).revision !== current.revision) await update()
        }
      } catch (error) {
        if (!signal.aborted && error instanceof EnvkeepError && error.code === "bad_key") {
          queueMicrotask(() => onEnd(error))
          return
        }
      }
      if (Date.now() - began > goodConnection) failures = 1
      await timers.setTimeout(backoff(failures), undefined, { signal }).catch(() => undefined)
    }
  }

  async function update(): Promise<void> {
    const next = await fetchSnapshot(settings)
    if ("error" in next) throw next.error
    // A new revision need not be a new value: the environment may just have another name.
    const isNew = contents(next) !== contents(current)
    current = next
    // On its own, so that what a listener throws is not taken for a broken connection.
    if (isNew) queueMicrotask(() => signal.aborted || onChange(next))
  }
}

function contents({ variables, damaged }: Snapshot): string {
  return JSON.stringify([variables.map(({ name, value }) => [name, value]), damaged])
}

/** One connection's events, until it ends, breaks or falls silent. */
async function* events(settings: Settings, signal: AbortSignal): AsyncGenerator<{ event: string; data: string }> {
  const connection = new AbortController()
  const cut = () => connection.abort()
  signal.addEventListener("abort", cut)
  let patience = setTimeout(cut, settings.timeout)
  try {
    const response = await open(settings, "/api/v1/variables/watch", connection.signal)
    const { statusCode: status = 0, headers } = response.setEncoding("utf8")
    const failure = refusal(settings, { status, headers, text: "" })
    if (failure !== undefined) throw failure.error
    let unread = ""
    for await (const chunk of response) {
      clearTimeout(patience)
      patience = setTimeout(cut, settings.silence)
      const blocks = `${unread}${chunk}`.split("\n\n")
      unread = blocks.pop() ?? ""
      for (const block of blocks) yield { event: field(block, "event"), data: field(block, "data") }
    }
  } finally {
    clearTimeout(patience)
    signal.removeEventListener("abort", cut)
    connection.abort()
  }
}

function field(block: string, name: string): string {
  return new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? ""
}
