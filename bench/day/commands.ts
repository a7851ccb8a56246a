import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { productMain } from "../product.ts"

export interface Ended {
  code: number | null
  out: string
  err: string
}

/** Runs a program to its end. */
export async function runProgram(args: string[], env: Record<string, string>, cwd: string): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [[code], out, err] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)])
  return { code, out, err }
}

export interface Store {
  databaseUrl: string
  dataDir: string
  rootKey: string
}

/** A command of the product beside the running nodes, as `npm run <command>` starts it. */
export function runCommand({ databaseUrl, dataDir, rootKey }: Store, args: string[]): Promise<Ended> {
  const env = { DATABASE_URL: databaseUrl, ENVKEEP_DATA_DIR: dataDir, ENVKEEP_ROOT_KEY: rootKey }
  return runProgram(["--disable-warning=ExperimentalWarning", productMain, ...args], env, dataDir)
}

/** The same, if it must succeed. */
export async function mustRun(store: Store, args: string[]): Promise<string> {
  const { code, out, err } = await runCommand(store, args)
  if (code !== 0) throw new Error(`${args.join(" ")} ended with exit code ${code}: ${err || out}`)
  return out
}
