import { readdirSync, readFileSync } from "node:fs"

// What the kernel says about a running process. Only Linux does; elsewhere the figures are NaN.

/** Of a file in `/proc`; empty if there is none, or the process has just ended. */
function factsOf(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}

const kilobytes = (pid: number, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(factsOf(pid, "status"))?.[1])

/** The resident set. */
export const residentBytes = (pid: number) => 1024 * kilobytes(pid, "VmRSS")

/** The most that it has had in memory so far. */
export const peakBytes = (pid: number) => 1024 * kilobytes(pid, "VmHWM")

/** Open files and sockets. */
export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.NaN
  }
}

const ticksPerSecond = 100

/** The processor time of a process and of those that it started. */
export function cpuSeconds(pid: number): number {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const ticks = all.map((name) => {
    // The program's name, in brackets, may contain spaces: count the fields after it.
    const fields = factsOf(name, "stat").split(") ")[1]?.split(" ") ?? []
    return Number(name) === pid || Number(fields[1]) === pid ? Number(fields[11]) + Number(fields[12]) : 0
  })
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond
}
