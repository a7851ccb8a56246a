import { spawnSync } from "node:child_process"
import { join } from "node:path"

/** The tests run the published files, so they are built first. */
export function setup(): void {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "../build.ts")], { stdio: "inherit" })
  if (status !== 0) throw new Error("the client could not be built")
}
