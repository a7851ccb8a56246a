import { stat } from "node:fs/promises"
import { join } from "node:path"
import { sqliteFile } from "@envkeep/server/db/open.ts"
import pg from "pg"
import type { StoreLocation } from "../store-location.ts"

/** What a store takes on disk. */
export async function storeBytes({ dataDir, databaseUrl }: StoreLocation): Promise<number> {
  if (databaseUrl === undefined) return (await stat(join(dataDir, sqliteFile))).size
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query("select pg_database_size(current_database()) as bytes")
  await client.end()
  return Number(rows[0]?.bytes)
}
