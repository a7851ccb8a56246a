import { createServer } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sqliteFile } from "@envkeep/server/db/open.ts"
import { hashToken } from "@envkeep/server/keys/token.ts"
import pg from "pg"
import type { StoreLocation } from "../store-location.ts"
import { given, listen } from "./begin.ts"

// Only the queries that a first read needs, on the bare driver: nothing is decrypted or printed, and the bytes of the answer
// are prepared. A header says how long the queries took.

export interface BareQueries {
  location: StoreLocation
  key: string
  body: string
}

const holder = (key: string) => `select api_key.name, environment.name as environment, collection.name as collection,
    environment.id as environment_id, collection.id as collection_id, environment.revision, collection.data_key
  from api_key join environment on environment.id = api_key.environment_id
    join collection on collection.id = environment.collection_id
  where api_key.key_hash = ${key}`
const variables = (key: string) => `select environment.revision, item.name, item.sealed_value
  from api_key join environment on environment.id = api_key.environment_id
    left join item on item.environment_id = environment.id
  where api_key.key_hash = ${key} order by item.id`

const { location, key, body: text } = await given<BareQueries>()
const body = Buffer.from(text)
const ask = location.databaseUrl === undefined ? onSqlite(location) : onPostgres(location.databaseUrl)
const keyHash = hashToken(key)

await listen(
  createServer(async (_, response) => {
    const began = performance.now()
    await ask()
    const took = performance.now() - began
    response.writeHead(200, { "content-length": body.length, "server-timing": `db;dur=${took}` }).end(body)
  }),
)

function onSqlite({ dataDir }: StoreLocation): () => void {
  const database = new DatabaseSync(join(dataDir, sqliteFile), { timeout: 10_000 })
  const statements = [holder, variables].map((query) => database.prepare(query("?")))
  return () => {
    for (const statement of statements) statement.all(keyHash)
  }
}

function onPostgres(url: string): () => Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  return async () => {
    for (const query of [holder, variables]) await pool.query(query("$1"), [keyHash])
  }
}
