import { spawnSync } from "node:child_process"

/** The memory a process holds, in bytes, as the system counts it. */
export function residentBytes(pid: number): number {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
  return Number(stdout) * 1024
}
