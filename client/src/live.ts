import { promises as timers } from "node:timers"
import { openResponse } from "./api.ts"
import { backoffMs } from "./backoff.ts"
import type { Env } from "./env.ts"
import { EnvkeepError } from "./error.ts"
import type { Target } from "./target.ts"

interface Follower {
  reload: () => Promise<Env>
  onChange: (env: Env) => void
  onEnd: ((error: EnvkeepError) => void) | undefined
}

/** The server sends a heartbeat every 15 seconds, so a connection that is silent for this long is dead. */
const silenceTimeoutMs = 45_000

/** Calls back after each change of the environment's variables, until the returned function is called. */
export function followEnvironment(target: Target, start: Env, { reload, onChange, onEnd }: Follower): () => void {
  const stopped = new AbortController()
  const { signal } = stopped
  let seen = start
  void run()
  return () => stopped.abort()

  async function run(): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        for await (const event of events(target, signal)) {
          if (event === "gone") return onEnd?.(new EnvkeepError("bad_key", "The login is no longer valid"))
          if (event !== "") await update()
          failures = 1
        }
      } catch {
        // The last good values stay in use, and the next connection tells what was missed.
      }
      await timers.setTimeout(backoffMs(failures), undefined, { signal }).catch(() => undefined)
    }
  }

  async function update(): Promise<void> {
    const next = await reload()
    const isNew = JSON.stringify(next.variables) !== JSON.stringify(seen.variables)
    seen = next
    if (isNew && !signal.aborted) onChange(next)
  }
}

/** The names of the events, and nothing of their data: what changed is read again. */
async function* events(target: Target, signal: AbortSignal): AsyncGenerator<string> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceTimeoutMs)
  try {
    const path = `/collections/${target.collection.id}/live`
    const response = await openResponse(target, { path, signal: AbortSignal.any([signal, silence.signal]) })
    if (response.statusCode === 401 || response.statusCode === 404) yield "gone"
    if (response.statusCode !== 200) return
    let rest = ""
    for await (const piece of response) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceTimeoutMs)
      rest = (rest + String(piece)).slice(-65_536)
      const lines = rest.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line.startsWith("event:")) yield line.slice("event:".length).trim()
    }
  } finally {
    clearTimeout(timer)
  }
}
