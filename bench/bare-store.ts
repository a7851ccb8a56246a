import { randomBytes } from "node:crypto"
import { keyOf, seal } from "@envkeep/server/keys/seal.ts"
import { type BareDriver, openBare } from "./bare-driver.ts"
import type { Store } from "./served.ts"
import { variableList } from "./stock.ts"

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
  close(): Promise<void>
}

/** Random bytes of the length of encrypted values: the engine cannot tell the difference. */
export function sealedRows(count: number): SealedRow[] {
  return variableList(count).map(({ name, value }) => ({ name, sealed: randomBytes(sealOverhead + value.length) }))
}

let made = 0
/** Higher than any that the product has given. */
let revision = 1_000_000

const item = "insert into item (environment_id, revision, name, sealed_value)"
const version = "insert into item_version (environment_id, revision, name, sealed_value, item_id)"
const orReplace =
  "on conflict (environment_id, name) do update set sealed_value = excluded.sealed_value, revision = excluded.revision"
const addRevision = `insert into revision
  (environment_id, number, created_at, action, actor, actor_id, actor_name, note, added, changed, removed)
  values (?1, ?2, 1, 'items.save', 'user', 1, 'owner', '', 0, ?3, 0)`

export async function openBareStore({ location, stocked }: Store): Promise<BareStore> {
  const driver = await openBare(location)
  const { query, close } = driver
  const putRows = driver.isSqlite ? rowByRow : asOneSet
  return {
    close,
    async newEnvironment() {
      const insert = "insert into environment (collection_id, name) values (?1, ?2) returning id"
      return Number((await query(insert, [stocked.collectionId, `bare ${++made}`]))[0]?.["id"])
    },
    async put(environmentId, rows) {
      await query(driver.isSqlite ? "begin immediate" : "begin")
      revision++
      await putRows(driver, environmentId, rows)
      await query(addRevision, [environmentId, revision, rows.length])
      await query("update environment set revision = revision + 1 where id = ?1", [environmentId])
      await query("commit")
    },
  }
}

async function rowByRow({ query }: BareDriver, environmentId: number, rows: SealedRow[]): Promise<void> {
  for (const { name, sealed } of rows) {
    await query(`${item} values (?1, ?2, ?3, ?4) ${orReplace}`, [environmentId, revision, name, sealed])
    await query(`${version} values (?1, ?2, ?3, ?4, 1)`, [environmentId, revision, name, sealed])
  }
}

/** On PostgreSQL, row by row takes many times as long. */
async function asOneSet({ query }: BareDriver, environmentId: number, rows: SealedRow[]): Promise<void> {
  const set = [environmentId, revision, rows.map(({ name }) => name), rows.map(({ sealed }) => sealed)]
  const pairs = "unnest(?3::text[], ?4::bytea[]) as pair (name, sealed)"
  await query(`${item} select ?1, ?2, name, sealed from ${pairs} ${orReplace}`, set)
  await query(`${version} select ?1, ?2, name, sealed, 1 from ${pairs}`, set)
}
