import assert from "node:assert/strict"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { address, stopThroughNpm } from "./npm-start.ts"

// Starts what is deployed, away from this folder: the built files and the packages that the server asks for, nothing else.
// A package listed as a development dependency, or a file that was not built, is missing only there.

const root = join(import.meta.dirname, "..")
const folder = mkdtempSync(join(tmpdir(), "envkeep-production-"))
const isFromNpm = (name: string) => name.startsWith("npm_") || name === "INIT_CWD"
// npm tells its scripts which folder it runs for; the npm below runs for another.
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isFromNpm(name)))
const running: ChildProcess[] = []

try {
  await stopThroughNpm(environment, join(folder, "data-of-npm"))
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
  installClient(url)

  server.kill("SIGTERM")
  assert.deepEqual(await ended, [0, null], "SIGTERM stops the server")
}

/** As the README says, in a new project. The package has no dependencies, so a registry that is not there is not missed. */
function installClient(url: string): void {
  const project = join(folder, "project")
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), "{}")
  const env = {
    ...environment,
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_cache: join(folder, "npm-cache"),
    npm_config_audit: "false",
  }
  const run = (command: string, ...args: string[]) => {
    const { status, stdout } = spawnSync(command, args, { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] })
    assert.equal(status, 0, `${command} ${args.join(" ")} failed`)
    return String(stdout).trim()
  }
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, "client/package.json"), "utf8"))
  const tarball = `${url}/envkeep.tgz`
  assert.equal(run("npx", "--yes", "--package", tarball, "envkeep", "--version"), version, "npx runs the client")
  run("npm", "install", tarball)
  assert.equal(run("npx", "envkeep", "--version"), version, "npm installs the client")
  assert.equal(run("node", "-e", 'console.log(typeof require("envkeep").load)'), "function", "a program can use it")
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
