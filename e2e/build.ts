import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { isBuilt } from "../scripts/build-state.ts"

const root = join(import.meta.dirname, "..")

/** Builds the product if the build is missing or outdated: the journeys test the built product. */
export function buildIfNeeded(): void {
  // Every worker loads the configuration too. Only the process that starts them builds.
  if (process.env["TEST_WORKER_INDEX"] !== undefined || isBuilt(root)) return
  const built = spawnSync(process.execPath, ["scripts/build.ts"], { cwd: root, stdio: "inherit" })
  if (built.status !== 0) throw new Error("The product could not be built")
}
