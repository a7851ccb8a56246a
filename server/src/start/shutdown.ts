import type { RunningServer } from "./running-server.ts"
import { exitCodes } from "./start-error.ts"

/** How long requests in flight have to finish, after the drain. */
export const shutdownTimeoutMs = 30_000

interface ShutdownOptions {
  drainSeconds: number
  exit(code: number): void
  fail(error: unknown): void
}

/**
 * The first call finishes what is in flight and ends the process; a second one, or the timeout, ends it at once. SIGTERM
 * comes from whatever runs the server, perhaps with a balancer in front, which needs the drain to notice. Ctrl-C comes from
 * a person who waits for the prompt.
 */
export function shutdownOnce(
  server: RunningServer,
  { drainSeconds, exit, fail }: ShutdownOptions,
): (signal: "SIGTERM" | "SIGINT" | "orphaned") => Promise<void> {
  let isStopping = false
  return async (signal) => {
    if (isStopping) return exit(exitCodes.failure)
    isStopping = true
    const drain = signal === "SIGTERM"
    const drainMs = drain ? drainSeconds * 1000 : 0
    setTimeout(() => exit(exitCodes.failure), drainMs + shutdownTimeoutMs).unref()
    try {
      await server.stop({ drain })
      exit(0)
    } catch (error) {
      fail(error)
    }
  }
}
