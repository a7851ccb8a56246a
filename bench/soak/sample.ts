import { readdirSync } from "node:fs"
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

export async function look({ pid }: Product, { databaseUrl }: StoreLocation): Promise<Held> {
  return {
    rss: residentBytes(pid),
    files: openFiles(pid),
    connections: databaseUrl === undefined ? 0 : await connectionsTo(databaseUrl),
  }
}

function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.NaN
  }
}

async function connectionsTo(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  )
  await client.end()
  return rows[0]?.count
}
