import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join, resolve } from "node:path"
import { watch } from "chokidar"

// `npm run dev`: the server from source, restarted at each change, and the screens by Vite, which passes /api on to it.
// Both take PORT. The test names another folder to run from.

const root = resolve(process.argv[2] ?? join(import.meta.dirname, ".."))
/** An uncaught error, such as a typo: the next change may fix it. */
const crashed = 1
const stopTimeoutMs = 500

// Not Node's own --watch: on Linux it loses a file that an editor replaces instead of writing into it.
const sources = watch(
  ["server", "contract", "formats"].map((name) => join(root, name, "src")),
  { ignoreInitial: true },
)
const isServed = (path: string) => /\.(ts|json)$/.test(path) && !path.endsWith(".test.ts")
await once(sources, "ready")

let stopping = false
let restarting: Promise<void> | undefined
let server = startServer()
const screens = spawn("vite", [], { cwd: join(root, "web"), stdio: "inherit" })
screens.on("exit", (code) => stop(code ?? 1))
sources.on("all", (_, path) => isServed(path) && restartServer())
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(0))
// However this process ends, what it started ends with it.
process.on("exit", () => [server, screens].map((child) => child.kill("SIGKILL")))

function startServer(): ChildProcess {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "server/src/main.ts"], {
    cwd: root,
    stdio: "inherit",
    // Compiled sources are kept from one start to the next: otherwise a restart takes nearly twice the time.
    env: { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/envkeep-dev"), ...process.env },
  })
  child.on("exit", (code) => {
    if (stopping || restarting !== undefined) return
    if (code === crashed) console.error("dev: the server crashed; it starts again after the next change")
    else stop(code ?? 1)
  })
  return child
}

/** Changes that arrive while the old server is stopping need no second restart: the new one reads them. */
function restartServer(): void {
  if (stopping) return
  restarting ??= end(server).then(() => {
    restarting = undefined
    if (!stopping) server = startServer()
  })
}

async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  await Promise.all([end(server), end(screens), sources.close()])
  process.exit(code)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  // Not SIGTERM, after which the server goes on serving until a load balancer has noticed.
  child.kill("SIGINT")
  const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs)
  await ended
  clearTimeout(timer)
}
