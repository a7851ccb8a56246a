import assert from "node:assert/strict"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"

// Starts what is deployed, away from this folder: the built files and the packages that the server asks for, nothing else.
// A package listed as a development dependency, or a file that was not built, is missing only there.

const root = join(import.meta.dirname, "..")
const folder = mkdtempSync(join(tmpdir(), "envkeep-production-"))
const isFromNpm = (name: string) => name.startsWith("npm_") || name === "INIT_CWD"
// npm tells its scripts which folder it runs for; the npm below runs for another.
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isFromNpm(name)))
const running: ChildProcess[] = []

try {
  install()
  await serveAndStop()
  await reachForPostgres()
} finally {
  for (const child of running) child.kill("SIGKILL")
  rmSync(folder, { recursive: true })
}

function install(): void {
  const { workspaces }: { workspaces: string[] } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const manifests = ["package.json", "package-lock.json", ".npmrc", ...workspaces.map((name) => `${name}/package.json`)]
  for (const path of [...manifests, "server/dist", "web/dist"]) {
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  // As the Dockerfile does. Our own packages are inside the built server.
  const args = ["ci", "--omit=dev", "--workspace", "@envkeep/server", "--ignore-scripts"]
  const { status } = spawnSync("npm", args, { cwd: folder, env: environment, stdio: ["ignore", "ignore", "inherit"] })
  assert.equal(status, 0, "npm ci --omit=dev failed")
  rmSync(join(folder, "node_modules/@envkeep"), { recursive: true })
}

async function serveAndStop(): Promise<void> {
  const server = start({ PORT: "0" })
  const ended = once(server, "exit")
  const url = await Promise.race([
    address(server),
    ended.then(([code]) => assert.fail(`the server exited with ${code}`)),
  ])

  assert.match(await (await fetch(url)).text(), /<div id="root">/, "the screens are served")
  const form = { username: "ann", email: "ann@example.com", password: "long enough", password2: "long enough" }
  const registered = await fetch(`${url}/api/users/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(form),
  })
  assert.equal(registered.status, 201, "an account can be registered")

  server.kill("SIGTERM")
  assert.deepEqual(await ended, [0, null], "SIGTERM stops the server")
}

async function reachForPostgres(): Promise<void> {
  // Its complaint is expected, and would look like a failure of this run.
  const server = start({ DATABASE_URL: "postgres://envkeep@127.0.0.1:1/envkeep" }, "ignore")
  const [code] = await once(server, "exit")
  assert.equal(code, 69, "a PostgreSQL that is not there is looked for, and reported")
}

function start(settings: Record<string, string>, stderr: "inherit" | "ignore" = "inherit"): ChildProcess {
  const env = { PATH: dirname(process.execPath), ENVKEEP_DATA_DIR: join(folder, "data"), ...settings }
  const child = spawn(process.execPath, ["server/dist/main.js"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", stderr],
  })
  running.push(child)
  return child
}

/** The log says where the server listens; it names the port that the system chose. */
async function address({ stdout }: ChildProcess): Promise<string> {
  assert(stdout)
  for await (const line of createInterface({ input: stdout })) {
    const found = /Server listening at (http:\/\/[\d.:]+)/.exec(line)?.[1]
    if (found === undefined) continue
    stdout.resume()
    return found
  }
  return assert.fail("the server closed its log before it listened")
}
