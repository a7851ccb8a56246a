import { readdir } from "node:fs/promises"
import { monitorEventLoopDelay } from "node:perf_hooks"
import packageJson from "../../package.json" with { type: "json" }
import { by, counter, type Family, gauge } from "./family.ts"

/** What only `main.ts` may ask of the process. */
export interface Vitals {
  nodeVersion: string
  /** In seconds since 1970. */
  startedAt: number
  residentBytes(): number
  cpuSeconds(): number
}

const resolutionMs = 20

/** How this process is doing. */
export function processMetrics(vitals: Vitals): () => Promise<Family[]> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  return async () => {
    // What the clock reports is the time between two looks, so the time it meant to wait is taken off.
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs) / 1000
    const delays = { median: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) }
    delay.reset()
    const files = await openFiles()
    const labels = { version: packageJson.version, node: vitals.nodeVersion }
    return [
      { ...gauge("envkeep_build_info", "The version that runs.", [{ labels, value: 1 }]), shared: true },
      gauge("process_start_time_seconds", "When the process started, in seconds since 1970.", vitals.startedAt),
      counter("process_cpu_seconds_total", "Processor time spent.", vitals.cpuSeconds()),
      gauge("process_resident_memory_bytes", "Memory held.", vitals.residentBytes()),
      gauge("process_open_fds", "Open files and connections.", files === undefined ? [] : files),
      gauge(
        "envkeep_event_loop_delay_seconds",
        "How late the event loop was since the page was last asked for.",
        by("of", delays),
      ),
    ]
  }
}

/** Known on Linux alone. */
async function openFiles(): Promise<number | undefined> {
  try {
    // One of them is the folder being read.
    return (await readdir("/proc/self/fd")).length - 1
  } catch {
    return undefined
  }
}
