import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./free-port.ts"
import { installSystemPackages } from "./packages.ts"

export interface TestPostgres {
  url: string
  stop(): Promise<void>
}

/** A server that can also be made to fail. */
export interface OwnPostgres extends TestPostgres {
  /** The address of a database made for it. */
  newDatabase(name: string): Promise<string>
  /** Ends it without a goodbye: SIGKILL takes the first process alone, SIGQUIT is its own way to stop at once. */
  kill(signal: "SIGKILL" | "SIGQUIT"): Promise<void>
  /** Brings it back on what it left behind. */
  restart(): Promise<void>
  /** Stops or resumes all of its processes where they stand. */
  freeze(): void
  thaw(): void
}

/**
 * A real PostgreSQL for tests: the one of TEST_DATABASE_URL (whose user may create databases), or a server of our own. A
 * benchmark wants it durable.
 */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const given = process.env["TEST_DATABASE_URL"]
  return given ? { url: given, stop: async () => undefined } : ownPostgres({ durable })
}

/** On a temporary folder and a free port, from what is installed or from the system's packages. */
export async function ownPostgres({ durable = false } = {}): Promise<OwnPostgres> {
  const bin = findServer() ?? (installSystemPackages(["postgresql"]) ? findServer() : undefined)
  if (bin === undefined) {
    throw new Error("The tests need PostgreSQL: install its server (postgresql), or set TEST_DATABASE_URL to one")
  }
  const folder = mkdtempSync(join(tmpdir(), "envkeep-postgres-"))
  const user = unprivileged()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, "data")
  const made = spawnSync(join(bin, "initdb"), ["-D", data, "-U", "envkeep", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    ...user,
    cwd: folder,
    encoding: "utf8",
  })
  if (made.status !== 0) throw new Error(`initdb failed:\n${made.stderr}`)

  const port = await freePort()
  // The tests ask whether writes are right, not whether this throw-away server survives a power cut.
  const hasty = durable ? [] : ["fsync=off", "full_page_writes=off"]
  const settings = [...hasty, "max_connections=300", `unix_socket_directories=${folder}`]
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...settings.flatMap((one) => ["-c", one])]
  const launch = () => spawn(join(bin, "postgres"), args, { ...user, cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  let server = launch()
  await untilReady(server.stderr)
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(server, "exit")
    server.kill(signal)
    await exited
  }
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of [Number(server.pid), ...childrenOf(Number(server.pid))]) process.kill(pid, signal)
  }
  const urlOf = (name: string) => `postgres://envkeep@127.0.0.1:${port}/${name}`
  return {
    url: urlOf("postgres"),
    async newDatabase(name) {
      const made = spawnSync(join(bin, "createdb"), ["-h", folder, "-p", String(port), "-U", "envkeep", name])
      if (made.status !== 0) throw new Error(`createdb failed:\n${made.stderr}`)
      return urlOf(name)
    },
    async stop() {
      await end("SIGINT")
      rmSync(folder, { recursive: true, force: true })
    },
    kill: end,
    async restart() {
      // What the killed one left running holds its memory for a moment longer.
      for (const givenUp = AbortSignal.timeout(20_000); ; ) {
        server = launch()
        const outcome = await untilReady(server.stderr).catch((error: Error) => error)
        if (outcome === undefined) return
        if (givenUp.aborted) throw outcome
      }
    },
    freeze: () => signalAll("SIGSTOP"),
    thaw: () => signalAll("SIGCONT"),
  }
}

function childrenOf(pid: number): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
  return listed === "" ? [] : listed.split(" ").map(Number)
}

async function untilReady(log: NodeJS.ReadableStream): Promise<void> {
  let said = ""
  for await (const piece of log) {
    said += piece
    if (said.includes("ready to accept connections")) {
      log.resume()
      return
    }
  }
  throw new Error(`PostgreSQL did not start:\n${said}`)
}

function findServer(): string | undefined {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const reported = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" }).stdout?.trim()
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...(reported ? [reported] : [])]
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")))
}

/** PostgreSQL refuses to run as root, so as root it runs as `nobody`. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout)
  return { uid: id("-u"), gid: id("-g") }
}
