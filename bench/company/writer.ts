import { setTimeout as wait } from "node:timers/promises"
import pg from "pg"
import { openLine } from "../load/line.ts"
import type { Product } from "../product.ts"
import { bulkRequest, call, login, newEnvironment } from "../stock.ts"
import { emailOf } from "./people.ts"

export const lateMs = 100

export interface Waited {
  longestMs: number
  writes: number
  /** How many of them took more than `lateMs`. */
  late: number
}

/** Someone who writes all the time. */
export interface Writer {
  /** What has been written since this was asked last. */
  waited(): Waited
  stop(): Promise<void>
}

const pauseMs = 5

/** Changes a value through the product, as people do. */
export async function startWriter({ url, port }: Product): Promise<Writer> {
  const cookie = await login(url, emailOf(1))
  const { id: collectionId } = await call<{ id: number }>(url, {
    method: "POST",
    path: "/collection",
    headers: { cookie },
    body: { name: "written", description: "" },
  })
  const environmentId = await newEnvironment(url, { cookie, collectionId, name: "all the time" })
  const line = await openLine(port)
  return keepWriting(
    async (at) => {
      await line.ask(bulkRequest(cookie, environmentId, [{ name: "A", value: String(at) }]), 200)
    },
    async () => line.close(),
  )
}

/** Writes to the tables as a node of an earlier version does while another one migrates. */
export async function startBareWriter(databaseUrl: string): Promise<Writer> {
  const client = new pg.Client(databaseUrl)
  // If the run fails, its database is stopped first. What counts is why it failed.
  client.on("error", () => undefined)
  await client.connect()
  return keepWriting(
    async (at) => {
      await client.query("begin")
      await client.query("update session set seen_at = $1 where id = 1", [at])
      await client.query("update environment set changed_at = $1 where id = 1", [at])
      await client.query("update item set revision = revision where id = 1")
      await client.query("update item_version set erased_by = null where id = 1")
      await client.query("update api_key set last_used_at = $1 where id = 1", [at])
      await client.query('update "user" set last_sign_in_at = $1 where id = 1', [at])
      await client.query("commit")
    },
    () => client.end(),
  )
}

function keepWriting(write: (at: number) => Promise<void>, end: () => Promise<void>): Writer {
  let isStopped = false
  let waited: Waited = { longestMs: 0, writes: 0, late: 0 }
  const running = (async () => {
    while (!isStopped) {
      const began = performance.now()
      await write(Date.now())
      const ms = performance.now() - began
      waited.longestMs = Math.max(waited.longestMs, ms)
      waited.writes++
      if (ms > lateMs) waited.late++
      await wait(pauseMs)
    }
  })()
  // Said where it is waited for.
  running.catch(() => undefined)
  return {
    waited() {
      const since = waited
      waited = { longestMs: 0, writes: 0, late: 0 }
      return since
    },
    async stop() {
      isStopped = true
      await running
      await end()
    },
  }
}
