import { minuteMs } from "../../durations.ts"

/** Calls a function once, at the earliest of the times that were set. */
export interface Alarm {
  /** By the wall clock. */
  setFor(at: number): void
  stop(): void
}

/** Timers do not notice that the clock was set or that the machine slept, and run for 24 days at most. */
const longestWaitMs = minuteMs

export function createAlarm(ring: () => void): Alarm {
  let dueAt: number | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function wait(at: number): void {
    clearTimeout(timer)
    const remainingMs = Math.max(0, at - Date.now())
    timer = setTimeout(wake, Math.min(remainingMs, longestWaitMs)).unref()
  }

  function wake(): void {
    if (dueAt === undefined) return
    if (Date.now() < dueAt) {
      wait(dueAt)
      return
    }
    dueAt = undefined
    ring()
  }

  return {
    setFor(at) {
      if (isStopped || (dueAt !== undefined && dueAt <= at)) return
      dueAt = at
      wait(at)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
