import { spawnSync } from "node:child_process"
import { join } from "node:path"

// Starts the product, after building it if the build is missing or older than the sources. The server runs in this
// process, so that signals reach it. What can build runs in another, so that its memory is freed. For the same reason this
// is JavaScript: Node's reader of TypeScript stays in memory, with 15 MB.

endWithParent()

const root = join(import.meta.dirname, "..")

const build = spawnSync(process.execPath, [join(root, "scripts/build-if-needed.ts")], {
  stdio: ["ignore", "ignore", "inherit"],
})
if (build.status !== 0) process.exit(build.status ?? 1)
await import(join(root, "server/dist/main.js"))

/**
 * The shell through which npm runs this has put this process in its own place (`exec` in package.json), so signals of npm
 * arrive. A shell that stays in between would keep them, and npm may be killed. When what has started this process has
 * ended, it gets another parent, and takes that as the signal.
 */
function endWithParent() {
  if (process.env["npm_lifecycle_event"] === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, 200)
  timer.unref()
}
