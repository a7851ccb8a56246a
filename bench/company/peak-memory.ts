import { readFileSync } from "node:fs"

/** The most that a running process has had in memory so far, in bytes. 0 if it has ended, or the system does not tell. */
export function peakBytes(pid: number): number {
  try {
    return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Asks again and again, and returns the last answer. */
export function watchPeak(pid: number): () => number {
  let highest = 0
  const timer = setInterval(() => {
    highest = Math.max(highest, peakBytes(pid))
  }, 100)
  return () => {
    clearInterval(timer)
    return highest
  }
}
