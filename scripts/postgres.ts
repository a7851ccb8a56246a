import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./free-port.ts"
import { installSystemPackages } from "./packages.ts"

export interface TestPostgres {
  url: string
  stop(): Promise<void>
}

/**
 * A real PostgreSQL for tests: the one of TEST_DATABASE_URL (whose user may create databases), or a server of our own on
 * a temporary folder and a free port, from what is installed or from the system's packages. A benchmark wants it durable.
 */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const given = process.env["TEST_DATABASE_URL"]
  if (given) return { url: given, stop: async () => undefined }

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
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...settings.flatMap((one) => ["-c", one])],
    { ...user, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  )
  const exited = once(server, "exit")
  await untilReady(server.stderr)
  return {
    url: `postgres://envkeep@127.0.0.1:${port}/postgres`,
    async stop() {
      server.kill("SIGINT")
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
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
