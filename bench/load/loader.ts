import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Cleanup } from "../cleanup.ts"
import type { Load, LoadResult } from "./generator.ts"

/** Lasts as long as the run's measurements do, unless told otherwise. */
export type Loader = (load: Omit<Load, "seconds" | "warmSeconds"> & { seconds?: number }) => Promise<LoadResult>

/** One generator for the whole run: every server is measured by the same process, as warm as for the others. */
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
