import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import pg from "pg"
import { sealSecret } from "../server/src/crypto/vault.ts"
import { sqliteFile } from "../server/src/db/open.ts"
import { type Stock, type Variable, variableList } from "./owner.ts"
import type { Place } from "./place.ts"

// The floor under our writes: the same rows into the same tables with the same durability, on the bare driver. Sealing is
// done beforehand, nothing is looked up, nobody is asked whether they may.

export interface SealedRow {
  name: string
  sealed: Buffer
}

export interface BareStore {
  /** Writes the rows and raises the revision, in one transaction. */
  put(rows: SealedRow[]): Promise<void>
  close(): Promise<void>
}

export function sealedRows({ environment }: Stock, count: number, mark: string | number): SealedRow[] {
  const key = randomBytes(32)
  const seal = ({ name, value }: Variable) =>
    sealSecret(key, value, { kind: "item", environmentId: environment.id, name })
  return variableList(count, mark).map((variable) => ({ name: variable.name, sealed: seal(variable) }))
}

export function openBareStore({ dataDir, databaseUrl }: Place, { environment }: Stock): Promise<BareStore> {
  return databaseUrl === undefined ? onSqlite(dataDir, environment.id) : onPostgres(databaseUrl, environment.id)
}

async function onSqlite(dataDir: string, environmentId: number): Promise<BareStore> {
  const database = new DatabaseSync(join(dataDir, sqliteFile))
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")
  const put = database.prepare(
    "insert into item (environment_id, name, sealed_value) values (?, ?, ?) on conflict (environment_id, name) do update set sealed_value = excluded.sealed_value",
  )
  const raise = database.prepare("update environment set revision = revision + 1 where id = ?")
  return {
    async put(rows) {
      database.exec("begin immediate")
      for (const { name, sealed } of rows) put.run(environmentId, name, sealed)
      raise.run(environmentId)
      database.exec("commit")
    },
    close: async () => database.close(),
  }
}

async function onPostgres(url: string, environmentId: number): Promise<BareStore> {
  const client = new pg.Client(url)
  await client.connect()
  return {
    async put(rows) {
      await client.query("begin")
      // As one set: row by row it would take many times as long.
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
