import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { peakBytes } from "./process-figures.ts"
import { productMain } from "./product.ts"
import type { StoreLocation } from "./store.ts"

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
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, peakBytes(child.pid as number) || 0)
  }, 100)
  const [[code], out, err] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)])
  clearInterval(watch)
  return { code, out, err, ms: performance.now() - began, peakBytes: peak }
}

type Store = Pick<StoreLocation, "dataDir" | "databaseUrl"> & { rootKey?: string }

/** A command of the product on a store, beside the running nodes, as `npm run <command>` starts it. */
export function runCommand({ databaseUrl, dataDir, rootKey }: Store, args: string[]): Promise<Ended> {
  const env = {
    ENVKEEP_DATA_DIR: dataDir,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...(rootKey === undefined ? {} : { ENVKEEP_ROOT_KEY: rootKey }),
  }
  return runProgram(["--disable-warning=ExperimentalWarning", productMain, ...args], env, dataDir)
}

/** The same, if it must succeed. */
export async function mustRun(store: Store, args: string[]): Promise<Ended> {
  const ended = await runCommand(store, args)
  if (ended.code !== 0)
    throw new Error(`${args.join(" ")} ended with exit code ${ended.code}: ${ended.err || ended.out}`)
  return ended
}
