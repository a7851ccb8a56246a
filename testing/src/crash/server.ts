import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import type { StoreLocation } from "../database.ts"

const main = join(import.meta.dirname, "../../../server/src/main.ts")

export interface Server {
  /** Where it listens, once all of its processes do; fails with what it said when it ends before it does. */
  listening: Promise<string>
  /** SIGKILL for every process of it at one moment, or for the first alone. Returns when all of them are gone. */
  kill(whom: "all" | "first"): Promise<void>
}

/** The product as a group of processes of its own, so that all of them can be killed at one moment. */
export function spawnServer(location: StoreLocation, workers: number): Server {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main], {
    detached: true,
    env: {
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
  let said = ""
  const listening = new Promise<string>((resolve, reject) => {
    const hear = (piece: Buffer) => {
      said += piece
      const addresses = Array.from(said.matchAll(/listening at (http:\/\/[^"]+)/g), ([, address = ""]) => address)
      if (addresses.length === workers) resolve(addresses[0] ?? "")
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.on("exit", (code) => reject(new Error(`the server ended by itself (${code}):\n${said}`)))
  })
  listening.catch(() => undefined)
  return {
    listening,
    async kill(whom) {
      signal(whom === "all" ? group : Number(child.pid))
      await exited
      // Workers that lost their first process finish what they do; whoever does not is a fault.
      for (let waited = 0; isAlive(group); waited += 20) {
        if (waited > 20_000) throw new Error("workers outlived the first process by 20 seconds")
        await sleep(20)
      }
      await untilLetGo(location)
    },
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    // It may have ended by itself just before, which whoever waits for it to listen is told.
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

/** PostgreSQL goes on with what a client had asked before it died; only then is the outcome of that settled. */
async function untilLetGo({ databaseUrl }: StoreLocation): Promise<void> {
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
