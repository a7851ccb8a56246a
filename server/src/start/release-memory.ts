import { performance } from "node:perf_hooks"

const checkEveryMs = 500
const idleBelowUtilization = 0.1
/** So much more than after the last time is worth a pause of some milliseconds. */
const growthBytes = 48 * 1024 * 1024

interface ReleaseParts {
  nextTick(callback: () => void): void
  residentBytes(): number
}

/**
 * Returns the memory that is no longer needed to the system when the process is idle: after the start, which leaves pieces
 * of modules and a young generation that grew with them, and after a load that needed much. V8 alone would keep it. Node
 * must be started with `--expose-gc`, and with a fixed `--min-semi-space-size` and `--max-semi-space-size`: a young
 * generation of 8 MB serves reads as fast as the 16 MB that V8 would take.
 */
export function releaseMemoryWhenIdle({ nextTick, residentBytes }: ReleaseParts): void {
  let last = performance.eventLoopUtilization()
  let bytesAfterLast = 0
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    if (utilization > idleBelowUtilization || residentBytes() < bytesAfterLast + growthBytes) return
    // While a callback waits, V8 keeps the code for callbacks that wait. Otherwise every later tick would cost many times
    // as much, and a request takes several.
    nextTick(() => undefined)
    globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
    bytesAfterLast = residentBytes()
  }, checkEveryMs)
  timer.unref()
}
