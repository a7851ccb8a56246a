import { spawnSync } from "node:child_process"

/** The resident set of a process, in bytes. */
export function residentBytes(pid: number): number {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
  return Number(stdout) * 1024
}
