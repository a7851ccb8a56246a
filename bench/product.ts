import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Bench } from "./bench.ts"
import type { StoreLocation } from "./store.ts"

export const productMain = join(import.meta.dirname, "../server/dist/main.js")

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
  /** Gets each line that it logs. */
  onLine?: (line: string) => void
}

/** The built product in its own process, with default settings. */
export async function startProduct(
  { cleanup }: Pick<Bench, "cleanup">,
  { dataDir, databaseUrl }: StoreLocation,
  { workers = 1, env = {}, heapMb, onLine }: ProductOptions = {},
): Promise<Product> {
  const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...heap, productMain], {
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      ENVKEEP_DATA_DIR: dataDir,
      ENVKEEP_WORKERS: String(workers),
      // Measurements store more than one account is meant to.
      ENVKEEP_QUOTA_MB: "0",
      // Stopping is not measured.
      ENVKEEP_DRAIN_SECONDS: "0",
      ...env,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill("SIGTERM")
    const [code] = await ended
    return code
  }
  cleanup.later(stop)
  if (onLine !== undefined) createInterface({ input: child.stdout }).on("line", onLine)
  const url = await untilListening(child, workers)
  return { url, port: Number(new URL(url).port), pid: child.pid as number, stop }
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
