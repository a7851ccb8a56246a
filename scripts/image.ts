import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { environmentOf, execForm, parseDockerfile } from "./dockerfile.ts"
import { imageUser, makeStage } from "./image-folder.ts"

// What the Dockerfile says, done in a clean folder and started as the image would be: for machines without Docker. With
// --built, the stage that builds is this folder as it stands. With --sealed, the root file system is read-only in truth
// (by bubblewrap), at the image's own paths; without it, it merely belongs to somebody else.

const root = join(import.meta.dirname, "..")
const { values: wish } = parseArgs({ options: { built: { type: "boolean" }, sealed: { type: "boolean" } } })
const stages = parseDockerfile(readFileSync(join(root, "Dockerfile"), "utf8"))
const last = stages.at(-1) ?? { name: "none", from: "", steps: [] }
const place = mkdtempSync(join(tmpdir(), "envkeep-image-"))
const { uid, gid } = imageUser()

try {
  chmodSync(place, 0o755)
  const done: Record<string, string> = wish.built ? { build: root } : {}
  for (const stage of stages) if (done[stage.name] === undefined) makeStage(stage, { context: root, place, done })
  await tryOut(join(place, last.name))
  console.error("the image does what it should")
} finally {
  // As the image's owner may: by itself nothing of it can be written.
  spawnSync("chmod", ["-R", "u+w", place])
  rmSync(place, { recursive: true })
}

async function tryOut(image: string): Promise<void> {
  // The base image brings Node; here it is this one.
  const node = join(image, "usr/local/bin/node")
  mkdirSync(dirname(node), { recursive: true })
  copyFileSync(process.execPath, node)
  chmodSync(node, 0o755)
  mkdirSync(join(image, "tmp"))
  chmodSync(join(image, "tmp"), 0o777)
  for (const name of ["app", "usr"]) spawnSync("chmod", ["-R", "a-w,a+rX", join(image, name)])
  const before = listing(image)
  const port = await freePort()

  const server = start(image, port, execForm(last, "ENTRYPOINT"))
  const ended = once(server, "exit")
  process.on("exit", () => server.kill("SIGKILL"))
  await untilHealthy(image, port, ended)
  const url = `http://127.0.0.1:${port}`
  expect("the screens are served", (await (await fetch(url)).text()).includes("<div id="))
  const form = { username: "ann", email: "ann@example.com", password: "long enough", password2: "long enough" }
  const headers = { "content-type": "application/json" }
  const made = await fetch(`${url}/api/users/register`, { method: "POST", headers, body: JSON.stringify(form) })
  expect("an account is made", made.status === 201)
  const command = start(image, port, [...execForm(last, "ENTRYPOINT"), "admin", "grant", form.email])
  expect("commands run beside it", (await once(command, "exit"))[0] === 0)
  const noDatabase = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing" }
  const onPostgres = start(image, port, execForm(last, "ENTRYPOINT"), noDatabase)
  expect("PostgreSQL is looked for where one is named", (await once(onPostgres, "exit"))[0] === 69)

  process.kill(serverPid(server.pid ?? 0), "SIGTERM")
  expect("it stops at a signal, with code 0", (await ended)[0] === 0)
  expect("what does not run is not healthy", !(await isHealthy(image, port)))
  expect("nothing but the data folder was written", JSON.stringify(listing(image)) === JSON.stringify(before))
  const kept = readdirSync(join(image, "data")).sort()
  expect(
    "the data folder holds the store and the key",
    ["envkeep.db", "root.key"].every((name) => kept.includes(name)),
  )
}

function start(image: string, port: number, [, ...args]: string[], settings: Record<string, string> = {}) {
  const env = { ...environmentOf(last), PORT: String(port), LOG_LEVEL: "warn", ...settings }
  if (wish.sealed) {
    return spawn("bwrap", [...sealed(image), "/usr/local/bin/node", ...args], { uid, gid, env, stdio: "inherit" })
  }
  const here = args.map((arg) => arg.replace(/^\/app\//, `${image}/app/`))
  const places = { ENVKEEP_DATA_DIR: join(image, "data"), TMPDIR: join(image, "tmp") }
  return spawn(join(image, "usr/local/bin/node"), here, { uid, gid, env: { ...env, ...places }, stdio: "inherit" })
}

/** The image's own paths on a file system that nobody can write, with the libraries of this machine. */
function sealed(image: string): string[] {
  const ours = ["--ro-bind", join(image, "app"), "/app", "--bind", join(image, "data"), "/data", "--tmpfs", "/tmp"]
  const node = ["--ro-bind", join(image, "usr/local/bin"), "/usr/local/bin"]
  const libraries = ["--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"]
  const rest = ["--proc", "/proc", "--dev", "/dev", "--chdir", "/app", "--remount-ro", "/", "--die-with-parent"]
  return [...libraries, ...node, ...ours, ...rest]
}

/** Bubblewrap stays above what it runs, and passes no signals on. */
function serverPid(pid: number): number {
  if (!wish.sealed) return pid
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean)
  return child === undefined ? pid : serverPid(Number(child))
}

async function isHealthy(image: string, port: number): Promise<boolean> {
  const [code] = await once(start(image, port, execForm(last, "HEALTHCHECK")), "exit")
  return code === 0
}

async function untilHealthy(image: string, port: number, ended: Promise<unknown[]>): Promise<void> {
  const over = ended.then(([code]) => {
    throw new Error(`The server ended with code ${code}`)
  })
  const givenUp = AbortSignal.timeout(60_000)
  const healthy = (async () => {
    while (!(await isHealthy(image, port))) if (givenUp.aborted) throw new Error("The server does not become healthy")
  })()
  await Promise.race([healthy, over])
}

/** Every file of the image but the data, with its size and the time of its last change. */
function listing(image: string): string[] {
  return readdirSync(image, { recursive: true, encoding: "utf8" })
    .filter((path) => !/^data(\/|$)/.test(path))
    .map((path) => {
      const { size, mtimeMs } = statSync(join(image, path), { throwIfNoEntry: false }) ?? { size: -1, mtimeMs: 0 }
      return `${path} ${size} ${mtimeMs}`
    })
    .sort()
}

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`It does not hold that ${what}`)
  console.error(`  ${what}`)
}
