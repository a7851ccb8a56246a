import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { isBuilt } from "../scripts/build-state.ts"

const root = join(import.meta.dirname, "..")

/** The journeys walk through the built product, so it is built first where it is missing or old. */
export function buildWhatIsMissing(): void {
  // Each worker reads the configuration anew; only the process that starts them builds.
  if (process.env["TEST_WORKER_INDEX"] !== undefined || isBuilt(root)) return
  const built = spawnSync(process.execPath, ["scripts/build.ts"], { cwd: root, stdio: "inherit" })
  if (built.status !== 0) throw new Error("The product could not be built")
}
