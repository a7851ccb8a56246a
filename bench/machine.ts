import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { arch, cpus, release, totalmem, type } from "node:os"
import { join } from "node:path"
import { isBuilt } from "../scripts/build-state.ts"
import type { Bench } from "./bench.ts"
import { onServer } from "./store.ts"

const root = join(import.meta.dirname, "..")

/** We measure the product as users run it: built, from the current sources. */
export function buildProduct(): void {
  if (!isBuilt(root)) run("scripts/build.ts")
  if (existsSync(join(root, "client/build.ts"))) run("client/build.ts")
}

function run(script: string): void {
  const built = spawnSync(process.execPath, [join(root, script)], { stdio: ["ignore", 2, 2] })
  if (built.status !== 0) throw new Error(`${script} failed`)
}

/** The machine that the figures were measured on: without it they mean nothing. */
export async function describeMachine(bench: Bench): Promise<[string, string][]> {
  const cores = cpus()
  return [
    ["Processor", `${cores[0]?.model.trim() ?? "unknown"}, ${cores.length} cores, ${arch()}`],
    ["Memory", `${(totalmem() / 2 ** 30).toFixed(0)} GiB`],
    ["System", `${type()} ${release()}`],
    ["Node", process.version],
    ["SQLite", `${process.versions["sqlite"]}, WAL, synchronous=FULL`],
    ["PostgreSQL", await describePostgres(await bench.postgres())],
    ["Date", new Date().toISOString().slice(0, 10)],
  ]
}

async function describePostgres(url: string): Promise<string> {
  const setting = async (name: string) => String(Object.values((await onServer(url, `show ${name}`))[0] ?? {})[0])
  const values = [(await setting("server_version")).split(" ")[0]]
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
    values.push(`${name}=${await setting(name)}`)
  }
  return values.join(", ")
}

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
