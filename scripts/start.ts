import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { isBuilt } from "./build-state.ts"

// Starts the product, after building it if the build is missing or older than the sources. The server runs in this
// process, so that signals reach it. The build runs in another, so that its memory is freed.

endWithParent()

const root = join(import.meta.dirname, "..")

if (!isBuilt(root)) {
  console.error("envkeep: building (only the first time, and after an update)")
  const build = spawnSync(process.execPath, [join(root, "scripts/build.ts")], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  if (build.status !== 0) process.exit(build.status ?? 1)
}
await import(join(root, "server/dist/main.js"))

/**
 * The shell through which npm runs this has put this process in its own place (`exec` in package.json), so signals of npm
 * arrive. A shell that stays in between would keep them, and npm may be killed. When what has started this process has
 * ended, it gets another parent, and takes that as the signal.
 */
function endWithParent(): void {
  if (process.env["npm_lifecycle_event"] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, 200)
  timer.unref()
}
