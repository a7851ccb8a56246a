import { readdir } from "node:fs/promises"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Gauge, type Registry } from "prom-client"
import packageJson from "../../package.json" with { type: "json" }
import { addCounter, addGauge, sharedAggregator } from "./plain-numbers.ts"

/** What only `main.ts` may ask of the process. */
export interface Vitals {
  nodeVersion: string
  /** In seconds since 1970. */
  startedAt: number
  residentBytes(): number
  cpuSeconds(): number
}

/** How this process is doing. */
export function addProcessMetrics(registry: Registry, vitals: Vitals): void {
  new Gauge({
    name: "envkeep_build_info",
    help: "The version that runs.",
    labelNames: ["version", "node"],
    aggregator: sharedAggregator,
    registers: [registry],
  }).set({ version: packageJson.version, node: vitals.nodeVersion }, 1)
  addGauge(registry, {
    name: "process_start_time_seconds",
    help: "When the process started, in seconds since 1970.",
    read: () => vitals.startedAt,
  })
  addCounter(registry, {
    name: "process_cpu_seconds_total",
    help: "Processor time spent.",
    read: vitals.cpuSeconds,
  })
  addGauge(registry, { name: "process_resident_memory_bytes", help: "Memory held.", read: vitals.residentBytes })
  addGauge(registry, { name: "process_open_fds", help: "Open files and connections.", read: countOpenFiles })
  addGauge(registry, {
    name: "envkeep_event_loop_delay_seconds",
    help: "How late the event loop was since the page was last asked for.",
    label: "of",
    read: measureEventLoopDelay(),
  })
}

/** Known on Linux only. */
async function countOpenFiles(): Promise<number | undefined> {
  try {
    // One of them is the folder being read.
    return (await readdir("/proc/self/fd")).length - 1
  } catch {
    return undefined
  }
}

const resolutionMs = 20

function measureEventLoopDelay(): () => Record<string, number> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  // The histogram holds the time between two samples, so the time that was meant to pass is subtracted.
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs) / 1000
  return () => {
    const delays = { median: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) }
    delay.reset()
    return delays
  }
}
