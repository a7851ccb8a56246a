import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { isBuilt } from "../scripts/build-state.ts"

const root = join(import.meta.dirname, "..")

/** What is measured is the product as users run it: built, and from the sources as they are now. */
export function buildProduct(): void {
  if (isBuilt(root)) return
  const built = spawnSync(process.execPath, [join(root, "scripts/build.ts")], { stdio: ["ignore", 2, 2] })
  if (built.status !== 0) throw new Error("the build failed")
}
