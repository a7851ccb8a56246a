import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sqliteFile } from "@envkeep/server/db/open.ts"
import { keyOf, seal } from "@envkeep/server/keys/seal.ts"
import pg from "pg"
import { type Stock, variableList } from "./stock.ts"
import type { StoreLocation } from "./store-location.ts"

// The least that our writes can cost: the same rows into the same tables with the same durability, on the bare driver.
// Values are encrypted beforehand; nothing is looked up and no access is checked.

const sealOverhead = seal(keyOf(randomBytes(32)), "", []).length

export interface SealedRow {
  name: string
  sealed: Buffer
}

export interface BareStore {
  /** An empty environment in the same collection. */
  newEnvironment(): Promise<number>
  /** Writes the rows and raises the revision, in one transaction. */
  put(environmentId: number, rows: SealedRow[]): Promise<void>
  close(): Promise<void>
}

/** Random bytes of the length of encrypted values: the engine cannot tell the difference. */
export function sealedRows(count: number): SealedRow[] {
  return variableList(count).map(({ name, value }) => ({ name, sealed: randomBytes(sealOverhead + value.length) }))
}

export function openBareStore({ dataDir, databaseUrl }: StoreLocation, { collectionId }: Stock): Promise<BareStore> {
  return databaseUrl === undefined ? onSqlite(dataDir, collectionId) : onPostgres(databaseUrl, collectionId)
}

let made = 0

async function onSqlite(dataDir: string, collectionId: number): Promise<BareStore> {
  const database = new DatabaseSync(join(dataDir, sqliteFile))
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")
  const put = database.prepare(
    "insert into item (environment_id, name, sealed_value) values (?, ?, ?) on conflict (environment_id, name) do update set sealed_value = excluded.sealed_value",
  )
  const make = database.prepare("insert into environment (collection_id, name) values (?, ?)")
  const raise = database.prepare("update environment set revision = revision + 1 where id = ?")
  return {
    async newEnvironment() {
      return Number(make.run(collectionId, `bare ${++made}`).lastInsertRowid)
    },
    async put(environmentId, rows) {
      database.exec("begin immediate")
      for (const { name, sealed } of rows) put.run(environmentId, name, sealed)
      raise.run(environmentId)
      database.exec("commit")
    },
    close: async () => database.close(),
  }
}

async function onPostgres(url: string, collectionId: number): Promise<BareStore> {
  const client = new pg.Client(url)
  await client.connect()
  return {
    async newEnvironment() {
      const insert = "insert into environment (collection_id, name) values ($1, $2) returning id"
      return Number((await client.query(insert, [collectionId, `bare ${++made}`])).rows[0]?.id)
    },
    async put(environmentId, rows) {
      await client.query("begin")
      // As one set: row by row takes many times as long.
      await client.query(
        "insert into item (environment_id, name, sealed_value) select $1, * from unnest($2::text[], $3::bytea[]) on conflict (environment_id, name) do update set sealed_value = excluded.sealed_value",
        [environmentId, rows.map(({ name }) => name), rows.map(({ sealed }) => sealed)],
      )
      await client.query("update environment set revision = revision + 1 where id = $1", [environmentId])
      await client.query("commit")
    },
    close: () => client.end(),
  }
}
