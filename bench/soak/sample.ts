import { readdirSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"
import pg from "pg"
import type { Product } from "../product.ts"
import { residentBytes } from "../rss.ts"
import type { StoreLocation } from "../store-location.ts"

/** The resources that the product holds at one moment. */
export interface Held {
  rss: number
  /** Open files and sockets; only Linux reports them. */
  files: number
  /** Connections to PostgreSQL; none on SQLite. */
  connections: number
}

/** Idle database connections close after ten seconds; one that is still open after thirty has leaked. */
export async function settled<Seen>(look: () => Promise<Seen>, isSettled: (seen: Seen) => boolean): Promise<Seen> {
  for (let seconds = 0; seconds < 30; seconds++) {
    await wait(1_000)
    const seen = await look()
    if (isSettled(seen)) return seen
  }
  return look()
}

export async function look({ pid }: Product, { databaseUrl }: StoreLocation): Promise<Held> {
  return {
    rss: residentBytes(pid),
    files: openFiles(pid),
    connections: databaseUrl === undefined ? 0 : await connectionsTo(databaseUrl),
  }
}

export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.NaN
  }
}

export async function connectionsTo(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  )
  await client.end()
  return rows[0]?.count
}
