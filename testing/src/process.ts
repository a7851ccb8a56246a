import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { inject, onTestFinished } from "vitest"
import type { StoreLocation } from "./database.ts"
import { recordLines, registerSettings } from "./leaks.ts"

export interface Ended {
  code: number | null
  out: string
  err: string
}

interface RunOptions {
  env?: Record<string, string>
  args?: string[]
  /** A command line that the server is run by. */
  wrapper?: string[]
  /** The server that is built for the test run, unless a test has built one of its own. */
  main?: string
}

/** Runs the server in its own process, as `npm start` does. */
export function run(
  location: StoreLocation,
  { env = {}, args = [], wrapper = [], main = inject("serverMain") }: RunOptions = {},
) {
  const settings = {
    PATH: process.env["PATH"],
    PORT: "0",
    // Most tests have no load balancer to wait for.
    ENVKEEP_DRAIN_SECONDS: "0",
    ENVKEEP_DATA_DIR: location.dataDir,
    NODE_COMPILE_CACHE: inject("compiledServer"),
    ...(location.databaseUrl === undefined ? {} : { DATABASE_URL: location.databaseUrl }),
    // Logs everything, so that everything is searched for secrets.
    LOG_LEVEL: "trace",
    ...env,
  }
  registerSettings(settings)
  const command = [...wrapper, process.execPath, "--disable-warning=ExperimentalWarning", main, ...args]
  const child = spawn(command[0] ?? "", command.slice(1), {
    env: settings,
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  child.stdout.on("data", recordLines("the log of a server"))
  child.stderr.on("data", recordLines("the standard error of a server"))
  const output = { out: "", err: "" }
  child.stdout.on("data", (piece) => {
    output.out += piece
  })
  child.stderr.on("data", (piece) => {
    output.err += piece
  })
  const ended: Promise<Ended> = once(child, "close").then(([code]) => ({ code, ...output }))
  return { child, ended, output, url: () => untilListening(child, ended) }
}

async function untilListening(child: ChildProcess, ended: Promise<Ended>): Promise<string> {
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const address = /listening at (http:\/\/[^"]+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
  })
  const outcome = await Promise.race([listening, ended])
  if (typeof outcome === "string") return outcome
  throw new Error(`the server did not start:\n${outcome.out}${outcome.err}`)
}
