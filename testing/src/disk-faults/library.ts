import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

// The library is preloaded into a process, and makes one input or output of it fail. Only Linux preloads in this way.

const source = join(import.meta.dirname, "disk-faults.c")
const compiler = process.env["CC"] ?? "cc"

/** Why the library cannot be built here; undefined where it can. */
export const whyNoFaults = reason()

function reason(): string | undefined {
  if (process.platform !== "linux") return "only Linux preloads a library in this way"
  const { status } = spawnSync(compiler, ["--version"])
  return status === 0 ? undefined : `there is no C compiler ${compiler}`
}

let built: string | undefined

/** Where the library is. It is built once in each process. */
export function faultLibrary(): string {
  built ??= build()
  return built
}

function build(): string {
  const folder = mkdtempSync(join(tmpdir(), "envkeep-disk-faults-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, "disk-faults.so")
  const warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
  const args = ["-shared", "-fPIC", "-O2", ...warnings, "-o", file, source, "-ldl"]
  const { status, stderr } = spawnSync(compiler, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`the library that makes a disk fail cannot be built:\n${stderr}`)
  return file
}
