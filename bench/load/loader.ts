import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Cleanup } from "../cleanup.ts"
import type { Load, LoadResult } from "./generator.ts"

/** Runs as long as a measurement of this run does, unless another time is given. */
export type Loader = (load: Omit<Load, "seconds" | "warmSeconds"> & { seconds?: number }) => Promise<LoadResult>

/** One generator for the whole run: the same process, equally warm, measures every server. */
export function startLoader(cleanup: Cleanup, usualSeconds: number): Loader {
  const child = fork(join(import.meta.dirname, "generator.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const ended = once(child, "exit").then(([code]) => ({ error: `the load generator ended (${code})` }))
  cleanup.later(async () => {
    if (child.connected) child.disconnect()
    await ended
  })
  return async ({ seconds = usualSeconds, ...load }) => {
    const answered = once(child, "message").then(([answer]) => answer as { result?: LoadResult; error?: string })
    child.send({ ...load, seconds, warmSeconds: seconds / 4 } satisfies Load)
    const answer: { result?: LoadResult; error?: string } = await Promise.race([answered, ended])
    if (answer.result === undefined) throw new Error(answer.error)
    return answer.result
  }
}
