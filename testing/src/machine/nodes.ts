import { spawnSync } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { delimiter, join } from "node:path"

export interface NodeBinary {
  path: string
  version: string
}

/** The Node that runs this, and those on the PATH. The published package must run on all of them. */
export function findNodes(): NodeBinary[] {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"))
  const paths = [process.execPath, ...onPath.filter((path) => existsSync(path))].map((path) => realpathSync(path))
  const nodes = [...new Set(paths)].map((path) => ({
    path,
    version: spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "",
  }))
  // A package manager may add a shim, which is a second path to the same Node.
  return nodes.filter(({ version }, at) => nodes.findIndex((other) => other.version === version) === at)
}
