import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { onTestFinished } from "vitest"
import type { Place } from "./database.ts"
import { hearLines, hideSettings } from "./leaks.ts"

const main = join(import.meta.dirname, "../../server/src/main.ts")

export interface Ended {
  code: number | null
  out: string
  err: string
}

/** The server as a process of its own, as `npm start` runs it; `under` is a command that runs it. */
export function run(
  place: Place,
  { env = {}, args = [], under = [] }: { env?: Record<string, string>; args?: string[]; under?: string[] } = {},
) {
  const settings = {
    PATH: process.env["PATH"],
    PORT: "0",
    // There is no balancer to wait for, unless a test has one.
    ENVKEEP_DRAIN_SECONDS: "0",
    ENVKEEP_DATA_DIR: place.dataDir,
    ...(place.databaseUrl === undefined ? {} : { DATABASE_URL: place.databaseUrl }),
    // All that it ever says, so that all of it is searched for secrets.
    LOG_LEVEL: "trace",
    ...env,
  }
  hideSettings(settings)
  const words = [...under, process.execPath, "--disable-warning=ExperimentalWarning", main, ...args]
  const child = spawn(words[0] ?? "", words.slice(1), {
    env: settings,
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  child.stdout.on("data", hearLines("the log of a server"))
  child.stderr.on("data", hearLines("the words of a server"))
  const said = { out: "", err: "" }
  child.stdout.on("data", (piece) => {
    said.out += piece
  })
  child.stderr.on("data", (piece) => {
    said.err += piece
  })
  const ended: Promise<Ended> = once(child, "close").then(([code]) => ({ code, ...said }))
  return { child, ended, said, url: () => untilListening(child, ended) }
}

async function untilListening(child: ChildProcess, ended: Promise<Ended>): Promise<string> {
  const heard = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const address = /listening at (http:\/\/[^"]+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
  })
  const outcome = await Promise.race([heard, ended])
  if (typeof outcome === "string") return outcome
  throw new Error(`the server did not start:\n${outcome.out}${outcome.err}`)
}
