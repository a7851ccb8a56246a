import { spawnSync } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { delimiter, join } from "node:path"

export interface NodeBinary {
  path: string
  version: string
}

/** This Node, and those the machine has of its own: what we publish must run on both. */
export function findNodes(): NodeBinary[] {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"))
  const paths = [process.execPath, ...onPath.filter((path) => existsSync(path))].map((path) => realpathSync(path))
  const nodes = [...new Set(paths)].map((path) => ({
    path,
    version: spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "",
  }))
  // A package manager's shim is a second name for the same Node.
  return nodes.filter(({ version }, at) => nodes.findIndex((other) => other.version === version) === at)
}
