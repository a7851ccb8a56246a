import { minuteMs, secondMs } from "../durations.ts"

/** How long a mail waits after each failure. Further ones wait as long as the last. */
const pausesMs = [10 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs, 60 * minuteMs]

/** How long no mail is tried after the mail server itself has failed. Further failures in a row wait as long as the last. */
const serverPausesMs = [5 * secondMs, 15 * secondMs, 30 * secondMs, minuteMs]

/** Each pause is longer by up to this share, so that mails and nodes that failed together do not all try again together. */
const jitter = 0.2

export function pauseAfter(failures: number, random = Math.random()): number {
  return longer(pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0, random)
}

export function serverPauseAfter(failures: number, random = Math.random()): number {
  return longer(serverPausesMs[Math.min(failures, serverPausesMs.length) - 1] ?? 0, random)
}

function longer(pauseMs: number, random: number): number {
  return Math.round(pauseMs * (1 + jitter * random))
}
