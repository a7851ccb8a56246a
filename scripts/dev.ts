import { spawn } from "node:child_process"
import { join } from "node:path"

// The server from source, started anew at each change, and the screens by Vite on port 5173, which passes /api on.

const root = join(import.meta.dirname, "..")
const children = [
  spawn(process.execPath, ["--watch", "server/src/main.ts"], { cwd: root, stdio: "inherit" }),
  spawn("vite", [], { cwd: join(root, "web"), stdio: "inherit" }),
]
for (const child of children) {
  child.on("exit", () => {
    for (const other of children) other.kill()
  })
}
