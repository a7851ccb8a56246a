import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { compileCache } from "../compile-cache.ts"
import type { StoreLocation } from "../database.ts"

const main = join(import.meta.dirname, "../../../server/src/main.ts")

export interface Server {
  /** Its URL, once all of its processes listen. Rejects with its output if it ends before that. */
  listening: Promise<string>
  /** Sends SIGKILL to all of its processes at the same time, or to the first one only. Waits until all have ended. */
  kill(processes: "all" | "first"): Promise<void>
}

/** Starts the product in its own process group, so that all of its processes can be killed at the same time. */
export function spawnServer(location: StoreLocation, workers: number): Server {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main], {
    detached: true,
    env: {
      ...compileCache,
      PATH: process.env["PATH"],
      PORT: "0",
      ENVKEEP_WORKERS: String(workers),
      ENVKEEP_DATA_DIR: location.dataDir,
      ...(location.databaseUrl === undefined ? {} : { DATABASE_URL: location.databaseUrl }),
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const group = -Number(child.pid)
  const exited = once(child, "exit")
  let output = ""
  const listening = new Promise<string>((resolve, reject) => {
    const onOutput = (chunk: Buffer) => {
      output += chunk
      const addresses = Array.from(output.matchAll(/listening at (http:\/\/[^"]+)/g), ([, address = ""]) => address)
      if (addresses.length === workers) resolve(addresses[0] ?? "")
    }
    child.stdout.on("data", onOutput)
    child.stderr.on("data", onOutput)
    child.on("exit", (code) => reject(new Error(`the server ended by itself (${code}):\n${output}`)))
  })
  listening.catch(() => undefined)
  return {
    listening,
    async kill(processes) {
      sendSigkill(processes === "all" ? group : Number(child.pid))
      await exited
      // Workers whose first process is gone finish what they do, and must then end.
      for (let waitedMs = 0; isAlive(group); waitedMs += 20) {
        if (waitedMs > 20_000) throw new Error("workers outlived the first process by 20 seconds")
        await sleep(20)
      }
      await untilDatabaseIsIdle(location)
    },
  }
}

function sendSigkill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    // It may have ended by itself just before; then `listening` reports that.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

function isAlive(group: number): boolean {
  try {
    process.kill(group, 0)
    return true
  } catch {
    return false
  }
}

/** PostgreSQL finishes the statements of a client that was killed. Until then their outcome is open. */
async function untilDatabaseIsIdle({ databaseUrl }: StoreLocation): Promise<void> {
  if (databaseUrl === undefined) return
  const url = new URL(databaseUrl)
  const name = url.pathname.slice(1)
  url.pathname = "/postgres"
  const client = new pg.Client(url.href)
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query(
        "select 1 from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()",
        [name],
      )
      if (rows.length === 0) return
      await sleep(10)
    }
  } finally {
    await client.end()
  }
}
