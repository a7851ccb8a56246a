import { execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"
import { waitTimeoutMs } from "../time-limits.ts"
import { freePort } from "./free-port.ts"
import { installSystemPackages } from "./packages.ts"
import { scratchFolder } from "./scratch.ts"

export interface TestPostgres {
  url: string
  stop(): Promise<void>
}

/** A PostgreSQL that tests can make fail. */
export interface OwnPostgres extends TestPostgres {
  /** Creates a database and returns its URL. */
  newDatabase(name: string): Promise<string>
  /** Ends it without a clean shutdown: SIGKILL hits only its first process, SIGQUIT is PostgreSQL's immediate shutdown. */
  kill(signal: "SIGKILL" | "SIGQUIT"): Promise<void>
  /** Starts it again on the same data. */
  restart(): Promise<void>
  /** Suspends all of its processes. */
  freeze(): void
  /** Resumes all of its processes. */
  thaw(): void
}

/**
 * A real PostgreSQL for tests: the one at TEST_DATABASE_URL (whose user may create databases), or a server of our own.
 * Benchmarks set `durable`, so that writes are synced to the disk as in production.
 */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const given = process.env["TEST_DATABASE_URL"]
  return given ? { url: given, stop: async () => undefined } : ownPostgres({ durable })
}

/**
 * Starts PostgreSQL in a temporary folder on a free port: the programs in the folder TEST_POSTGRES_BIN, or else the newest
 * of this machine. Installs it from the system's packages if needed.
 */
export async function ownPostgres({ durable = false } = {}): Promise<OwnPostgres> {
  const place = newPlace(durable)
  await runTool(place, "initdb", ["-D", place.data, "-U", "envkeep", "-A", "trust", "-E", "UTF8", "--no-sync"])
  // Tests check what is written, not whether this temporary server survives a power cut.
  return serve(place, durable ? [] : ["fsync=off", "full_page_writes=off"])
}

/** Where Debian has the versions of PostgreSQL, each with a folder `bin`. */
export const debianFolder = "/usr/lib/postgresql"

/** Where a server runs: its programs, a folder of its own, and the user that owns the folder. */
export interface PostgresPlace {
  bin: string
  folder: string
  data: string
  user: { uid: number; gid: number } | undefined
}

export function newPlace(durable: boolean): PostgresPlace {
  const bin = findServer() ?? (installSystemPackages(["postgresql"]) ? findServer() : undefined)
  if (bin === undefined) {
    throw new Error("The tests need PostgreSQL: install its server (postgresql), or set TEST_DATABASE_URL to one")
  }
  const folder = mkdtempSync(join(durable ? tmpdir() : scratchFolder, "envkeep-postgres-"))
  const user = unprivileged()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  return { bin, folder, data: join(folder, "data"), user }
}

/** Runs a program of PostgreSQL to its end, and returns what it printed. */
export async function runTool({ bin, folder, user }: PostgresPlace, name: string, args: string[]): Promise<string> {
  return (await promisify(execFile)(join(bin, name), args, { ...user, cwd: folder })).stdout
}

/** Serves the data in a place on a free port. */
export async function serve(place: PostgresPlace, ownSettings: string[] = []): Promise<OwnPostgres> {
  const { bin, folder, data, user } = place
  const port = await freePort()
  const settings = [...ownSettings, "max_connections=300", `unix_socket_directories=${folder}`]
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...settings.flatMap((one) => ["-c", one])]
  const launch = () => spawn(join(bin, "postgres"), args, { ...user, cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  let server = launch()
  await untilReady(server.stderr)
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
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
      // Not with `createdb`, which comes with the clients: a folder of programs may have the server alone.
      const client = new pg.Client(urlOf("postgres"))
      await client.connect()
      await client.query(`create database ${name}`).finally(() => client.end())
      return urlOf(name)
    },
    async stop() {
      await end("SIGINT")
      rmSync(folder, { recursive: true, force: true })
    },
    kill: end,
    async restart() {
      // Processes that outlive the killed one keep its shared memory for a moment, and until then it cannot start.
      for (const timeout = AbortSignal.timeout(waitTimeoutMs); ; ) {
        server = launch()
        const outcome = await untilReady(server.stderr).catch((error: Error) => error)
        if (outcome === undefined) return
        if (timeout.aborted) throw outcome
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

async function untilReady(stderr: NodeJS.ReadableStream): Promise<void> {
  let log = ""
  for await (const chunk of stderr) {
    log += chunk
    // A standby says that it accepts read-only ones.
    if (/ready to accept (read-only )?connections/.test(log)) {
      stderr.resume()
      return
    }
  }
  throw new Error(`PostgreSQL did not start:\n${log}`)
}

function findServer(): string | undefined {
  const given = process.env["TEST_POSTGRES_BIN"]
  if (given) return given
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort((a, b) => Number(b) - Number(a)) : []
  const reported = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" }).stdout?.trim()
  const folders = [...versions.map((version) => join(debianFolder, version, "bin")), ...(reported ? [reported] : [])]
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")))
}

/** PostgreSQL refuses to run as root. If we are root, it runs as the user `nobody`. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout)
  return { uid: id("-u"), gid: id("-g") }
}
