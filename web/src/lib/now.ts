import { useSyncExternalStore } from "react"

/** Relative times are to the minute, so this is often enough. */
const tickMs = 20_000

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function tick(): void {
  now = Date.now()
  for (const listen of listeners) listen()
}

function subscribe(listen: () => void): () => void {
  listeners.add(listen)
  if (listeners.size === 1) {
    now = Date.now()
    timer = setInterval(tick, tickMs)
    // A hidden tab has slow timers or none, and is shown again with times of hours ago.
    document.addEventListener("visibilitychange", tick)
  }
  return () => {
    listeners.delete(listen)
    if (listeners.size > 0) return
    clearInterval(timer)
    document.removeEventListener("visibilitychange", tick)
  }
}

/** The time of the last tick. All that show how long ago something was share one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
