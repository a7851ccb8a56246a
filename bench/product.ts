import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import type { Cleanup } from "./bench.ts"
import { peakBytes } from "./machine.ts"

const productMain = join(import.meta.dirname, "../server/dist/main.js")
const quiet = "--disable-warning=ExperimentalWarning"

export interface Product {
  url: string
  port: number
  pid: number
  /** Sends SIGTERM, and resolves with the exit code. */
  stop(): Promise<number | null>
}

export interface ProductOptions {
  workers?: number
  env?: Record<string, string>
  heapMb?: number
}

/** The built product in its own process, with default settings. */
export async function startProduct(
  cleanup: Cleanup,
  location: StoreLocation,
  { workers = 1, env = {}, heapMb }: ProductOptions = {},
): Promise<Product> {
  const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]
  const settings = {
    PORT: "0",
    ENVKEEP_WORKERS: String(workers),
    // Measurements store more than one account is meant to.
    ENVKEEP_QUOTA_MB: "0",
    // Stopping is not measured.
    ENVKEEP_DRAIN_SECONDS: "0",
    ...storeSettings(location),
    ...env,
  }
  const child = spawn(process.execPath, [quiet, ...heap, productMain], {
    env: withPath(settings),
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill("SIGTERM")
    const [code] = await ended
    return code
  }
  cleanup.defer(stop)
  const url = await untilListening(child, workers)
  return { url, port: Number(new URL(url).port), pid: child.pid as number, stop }
}

const withPath = (env: Record<string, string>) => ({ PATH: process.env["PATH"], ...env })

function storeSettings({ dataDir, databaseUrl }: StoreLocation): Record<string, string> {
  return { ENVKEEP_DATA_DIR: dataDir, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) }
}

/** Every worker logs once where it listens. */
function untilListening(child: ChildProcess, workers: number): Promise<string> {
  let said = ""
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error(`the product did not start:\n${said}`)))
    child.stdout?.on("data", function hear(piece: Buffer) {
      said += piece
      const addresses = [...said.matchAll(/listening at (http:\/\/[^"]+)/g)]
      if (addresses.length < workers) return
      child.stdout?.off("data", hear)
      // Read and drop what it logs from now on: a full pipe would block it.
      child.stdout?.resume()
      resolve(addresses[0]?.[1] as string)
    })
  })
}

export interface Ended {
  code: number | null
  out: string
  err: string
  ms: number
  /** The most memory that it had. */
  peakBytes: number
}

/** Runs a program with Node to its end. */
export async function runProgram(args: string[], env: Record<string, string>, cwd?: string): Promise<Ended> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { env: withPath(env), stdio: ["ignore", "pipe", "pipe"], cwd })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, peakBytes(child.pid as number) || 0)
  }, 100)
  const [[code], out, err] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)])
  clearInterval(watch)
  return { code, out, err, ms: performance.now() - began, peakBytes: peak }
}

type Store = StoreLocation & { rootKey?: string }

/** A command of the product on a store, beside the running nodes, as `npm run <command>` starts it. */
export function runCommand({ rootKey, ...location }: Store, args: string[]): Promise<Ended> {
  const env = { ...storeSettings(location), ...(rootKey === undefined ? {} : { ENVKEEP_ROOT_KEY: rootKey }) }
  return runProgram([quiet, productMain, ...args], env, location.dataDir)
}

/** The same, if it must succeed. */
export async function mustRun(store: Store, args: string[]): Promise<Ended> {
  const ended = await runCommand(store, args)
  if (ended.code === 0) return ended
  throw new Error(`${args.join(" ")} ended with exit code ${ended.code}: ${ended.err || ended.out}`)
}
