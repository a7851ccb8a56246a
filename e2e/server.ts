import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { recordLines, registerSettings } from "@envkeep/testing/leaks.ts"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { scratchFolder } from "@envkeep/testing/machine/scratch.ts"
import { waitTimeoutMs } from "@envkeep/testing/time-limits.ts"

export const admin = { email: "admin@example.com", password: "correct horse battery" }
export const contactUrl = "https://example.com/contact"

export interface Server {
  url: string
  dataDir: string
  /** Kills the server, like a power cut. */
  stop(): Promise<void>
  /** Starts it again at the same address with the same data. */
  start(): Promise<void>
  /** Runs a command of the built product on the same data, as `npm run` does, and returns what it prints. */
  command(...args: string[]): Promise<string>
  /** Stops it and deletes its data. */
  dispose(): Promise<void>
}

/** Starts the built product in its own process, on a free port (unless `more` has one) with an empty data folder. */
export async function startServer(more: Record<string, string> = {}): Promise<Server> {
  const folder = mkdtempSync(join(scratchFolder, "envkeep-journey-"))
  const port = more["PORT"] ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const main = join(import.meta.dirname, "../server/dist/main.js")
  const settings = {
    PORT: String(port),
    ENVKEEP_DATA_DIR: folder,
    ENVKEEP_ADMIN_EMAIL: admin.email,
    ENVKEEP_ADMIN_PASSWORD: admin.password,
    ENVKEEP_CONTACT_URL: contactUrl,
    // Accounts are made from many addresses: one may make a hundred an hour.
    ENVKEEP_TRUST_PROXY: "1",
    ENVKEEP_WEBHOOK_ALLOW: "127.0.0.1",
    // Everything is logged, so that everything is searched for secrets.
    LOG_LEVEL: "trace",
    // Mails contain links.
    ...(more["SMTP_URL"] === undefined ? {} : { PUBLIC_URL: url }),
    ...more,
  }
  registerSettings(settings)
  const env = { ...process.env, ...settings }
  let child: ChildProcess | undefined

  const server: Server = {
    url,
    dataDir: folder,
    async start() {
      child = spawn(process.execPath, [main], { stdio: ["ignore", "pipe", "inherit"], env })
      child.stdout?.on("data", recordLines("the log of a server"))
      await waitUntilReady(url, child)
    },
    async stop() {
      // A child that a signal ended has no exit code.
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, "exit")
      child.kill("SIGKILL")
      await exited
    },
    async command(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], { env })
      return stdout.trim()
    },
    async dispose() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  for (const timeout = AbortSignal.timeout(waitTimeoutMs); !timeout.aborted; ) {
    if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode}`)
    const up = await fetch(`${url}/api/users/me`).catch(() => undefined)
    if (up?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error("The server did not answer in time")
}
