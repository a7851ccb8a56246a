import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { isBuilt } from "./build-state.ts"

// Starts the product, built first where the build is missing or older than the sources. The server runs in this very
// process, so that signals reach it; the build runs in another, so that it leaves no memory behind.

const root = join(import.meta.dirname, "..")

if (!isBuilt(root)) {
  console.error("envkeep: building (this is done once)")
  const build = spawnSync(process.execPath, [join(root, "scripts/build.ts")], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  if (build.status !== 0) process.exit(build.status ?? 1)
}
await import(join(root, "server/dist/main.js"))
