import type { Logger } from "pino"
import { steadyNow } from "../db/clock.ts"
import { secondMs } from "../durations.ts"
import { exitCodes } from "../start-error.ts"
import type { RunningServer } from "./running-server.ts"

/** How long requests in flight have to finish, after the drain. */
export const shutdownTimeoutMs = 30_000

/** Signals that come this close together are one. */
const oneStopMs = secondMs

interface ShutdownOptions {
  drainSeconds: number
  exit(code: number): void
  fail(error: unknown): void
  /** Absent in a worker: the primary process speaks for all. */
  log: Logger | undefined
}

/**
 * The first call finishes what is in flight and ends the process; a later one, or the timeout, ends it at once. One stop can
 * come as several signals: a supervisor or a terminal sends it to all processes, and npm passes on its own. SIGTERM
 * comes from whatever runs the server, perhaps with a balancer in front, which needs the drain to notice. Ctrl-C comes from
 * a person who waits for the prompt.
 */
export function shutdownOnce(
  server: RunningServer,
  { drainSeconds, exit, fail, log }: ShutdownOptions,
): (signal: "SIGTERM" | "SIGINT" | "orphaned") => Promise<void> {
  let beganAt: number | undefined
  return async (signal) => {
    if (beganAt !== undefined) return steadyNow() - beganAt < oneStopMs ? undefined : exit(exitCodes.failure)
    beganAt = steadyNow()
    const drain = signal === "SIGTERM"
    const drainMs = drain ? drainSeconds * 1000 : 0
    setTimeout(() => exit(exitCodes.failure), drainMs + shutdownTimeoutMs).unref()
    log?.info("stopping: requests in progress are finished first; another signal after a second ends them")
    try {
      await server.stop({ drain })
      log?.info("stopped")
      exit(0)
    } catch (error) {
      fail(error)
    }
  }
}
