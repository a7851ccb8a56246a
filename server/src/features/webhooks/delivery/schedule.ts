import { dayMs, hourMs, minuteMs, secondMs } from "../../../durations.ts"

/** How long to wait after each failure in a row. Further ones wait as long as the last. */
const pausesMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  3 * hourMs,
  6 * hourMs,
]

/** By up to so much longer, so that webhooks that failed together do not all try again together. */
const jitter = 0.2

/** A message that fails when it is older than this is given up. */
export const retryForMs = dayMs

/** A webhook to which nothing could be delivered for so long is disabled. A weekend is shorter. */
export const disableAfterMs = 5 * dayMs

export function pauseAfter(failures: number, random = Math.random()): number {
  const pauseMs = pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0
  return Math.round(pauseMs * (1 + jitter * random))
}
