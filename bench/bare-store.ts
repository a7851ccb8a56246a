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
  /** Writes the rows with a version of each, and raises the revision, in one transaction. */
  put(environmentId: number, rows: SealedRow[]): Promise<void>
  /** Gives an environment so many more revisions. */
  addRevisions(environmentId: number, count: number): Promise<void>
  /** What the store takes on disk. */
  bytes(): Promise<number>
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
/** Higher than any that the product has given. */
let revision = 1_000_000

const revisionColumns =
  "environment_id, number, created_at, action, actor, actor_id, actor_name, note, added, changed, removed"
/** Of an environment and a count, with numbers above its own. */
const manyRevisions = (environment: string, count: string) => `
  insert into revision (${revisionColumns})
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
  select id, revision + n, 1, 'item.edit', 'user', 1, 'owner', '', 0, 1, 0 from environment, numbers
  where id = ${environment}`

async function onSqlite(dataDir: string, collectionId: number): Promise<BareStore> {
  const database = new DatabaseSync(join(dataDir, sqliteFile))
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")
  const put = database.prepare(
    "insert into item (environment_id, name, sealed_value, revision) values (?, ?, ?, ?) on conflict (environment_id, name) do update set sealed_value = excluded.sealed_value, revision = excluded.revision",
  )
  const addVersion = database.prepare(
    "insert into item_version (environment_id, name, sealed_value, revision, item_id) values (?, ?, ?, ?, 1)",
  )
  const addRevision = database.prepare(
    `insert into revision (${revisionColumns}) values (?, ?, 1, 'items.save', 'user', 1, 'owner', '', 0, ?, 0)`,
  )
  const make = database.prepare("insert into environment (collection_id, name) values (?, ?)")
  const raise = database.prepare("update environment set revision = revision + 1 where id = ?")
  return {
    async newEnvironment() {
      return Number(make.run(collectionId, `bare ${++made}`).lastInsertRowid)
    },
    async put(environmentId, rows) {
      database.exec("begin immediate")
      revision++
      for (const { name, sealed } of rows) {
        put.run(environmentId, name, sealed, revision)
        addVersion.run(environmentId, name, sealed, revision)
      }
      addRevision.run(environmentId, revision, rows.length)
      raise.run(environmentId)
      database.exec("commit")
    },
    async addRevisions(environmentId, count) {
      database.prepare(manyRevisions("?2", "?1")).run(count, environmentId)
      database.prepare("update environment set revision = revision + ? where id = ?").run(count, environmentId)
    },
    async bytes() {
      const [pages, size] = ["page_count", "page_size"].map((name) => database.prepare(`pragma ${name}`).get()?.[name])
      return Number(pages) * Number(size)
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
      const set = [environmentId, ++revision, rows.map(({ name }) => name), rows.map(({ sealed }) => sealed)]
      await client.query(
        "insert into item (environment_id, revision, name, sealed_value) select $1, $2, * from unnest($3::text[], $4::bytea[]) on conflict (environment_id, name) do update set sealed_value = excluded.sealed_value, revision = excluded.revision",
        set,
      )
      await client.query(
        "insert into item_version (environment_id, revision, item_id, name, sealed_value) select $1, $2, 1, * from unnest($3::text[], $4::bytea[])",
        set,
      )
      await client.query(
        `insert into revision (${revisionColumns}) values ($1, $2, 1, 'items.save', 'user', 1, 'owner', '', 0, $3, 0)`,
        [environmentId, revision, rows.length],
      )
      await client.query("update environment set revision = revision + 1 where id = $1", [environmentId])
      await client.query("commit")
    },
    async addRevisions(environmentId, count) {
      await client.query(manyRevisions("$1", "$2::int"), [environmentId, count])
      await client.query("update environment set revision = revision + $2 where id = $1", [environmentId, count])
      await client.query("analyze")
    },
    async bytes() {
      const query =
        "select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace"
      return Number((await client.query(query)).rows[0]?.bytes)
    },
    close: () => client.end(),
  }
}
