import type { KeyRefusal } from "@envkeep/contract"
import { sql } from "kysely"
import type { KeyCaller } from "../../access/caller.ts"
import { byParents } from "../../bounds/batches.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// A key reads one environment, which `access/key-holder.ts` finds by the key's hash. Its rows serve all of its keys.

/** What belongs to an item is null in the only row of an environment that has no further items. */
export interface VariableRow {
  revision: number
  /** What the environment inherits from. */
  baseId: number | null
  /** The environment that sets it. */
  environmentId: number | null
  id: number | null
  name: string | null
  sealedValue: Uint8Array | null
}

/**
 * Items and the revision in one statement, so that they always belong together. By name, because that has an index: by
 * id, the engine would have to sort the whole environment for each batch.
 */
export function variableRows(
  db: Reader,
  environmentId: number,
  { afterName, maxRows }: { afterName: string | undefined; maxRows: number },
): Promise<VariableRow[]> {
  return db
    .selectFrom("environment")
    .leftJoin("item", (join) => {
      const items = join.onRef("item.environment_id", "=", "environment.id")
      return afterName === undefined ? items : items.on("item.name", ">", afterName)
    })
    .select([
      "environment.revision",
      "environment.base_id as baseId",
      "item.environment_id as environmentId",
      "item.id",
      "item.name",
      "item.sealed_value as sealedValue",
    ])
    .where("environment.id", "=", environmentId)
    .orderBy("item.name")
    .limit(maxRows)
    .execute()
}

const keysPerStatement = 250

/** By which program these keys were last used, and from where. */
export interface KeyUse {
  keyHash: string
  /** The program, if it said which one it is. */
  by: string | null
  /** Its network. */
  from: string
}

/** Many keys in one statement, whatever programs used them: each statement is a commit. */
export async function setLastUsed(tx: Tx, uses: readonly KeyUse[], at: number): Promise<void> {
  await byParents(uses, keysPerStatement, (some) => {
    const ofKey = (column: "by" | "from") => {
      const cases = some.map((use) => sql`when ${use.keyHash} then ${use[column]}`)
      return sql<string | null>`case key_hash ${sql.join(cases, sql` `)} else cast(null as text) end`
    }
    return tx
      .updateTable("api_key")
      .set({ last_used_at: at, last_used_by: ofKey("by"), last_used_from: ofKey("from") })
      .where(
        "key_hash",
        "in",
        some.map(({ keyHash }) => keyHash),
      )
      .execute()
  })
}

export interface UsedKey {
  id: number
  name: string
  environmentId: number
  collectionId: number
  ownerId: number
}

/** What a key read from one network in one hour. */
export interface KeyReads {
  key: UsedKey
  caller: KeyCaller
  network: string
  hourAt: number
  lastAt: number
  reads: number
}

/** A deleted key is not among them. */
export async function keysByHash(db: Reader, keyHashes: readonly string[]): Promise<Map<string, UsedKey>> {
  const rows = await db
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select([
      "api_key.key_hash as keyHash",
      "api_key.id",
      "api_key.name",
      "environment.id as environmentId",
      "collection.id as collectionId",
      "collection.owner_id as ownerId",
    ])
    .where("api_key.key_hash", "in", keyHashes)
    .execute()
  return new Map(rows.map(({ keyHash, ...key }) => [keyHash, key]))
}

/** Of these keys and networks, those that belong together, as `key network`. */
export async function networksOf(db: Reader, reads: readonly KeyReads[]): Promise<Set<string>> {
  if (reads.length === 0) return new Set()
  const rows = await db
    .selectFrom("key_read")
    .select(["api_key_id as keyId", "address"])
    .distinct()
    .where(
      "api_key_id",
      "in",
      reads.map(({ key }) => key.id),
    )
    .where("address", "in", [...new Set(reads.map(({ network }) => network))])
    .execute()
  return new Set(rows.map(({ keyId, address }) => `${keyId} ${address}`))
}

/** False if there is a row already. */
export async function beginReads(tx: Tx, reads: KeyReads): Promise<boolean> {
  const row = await tx
    .insertInto("key_read")
    .values({ ...toRow(reads), reads: 0 })
    .onConflict((conflict) => conflict.columns(["api_key_id", "address", "hour_at"]).doNothing())
    .returning("id")
    .executeTakeFirst()
  return row !== undefined
}

export async function addReads(tx: Tx, reads: readonly KeyReads[]): Promise<void> {
  if (reads.length === 0) return
  await tx
    .insertInto("key_read")
    .values(reads.map(toRow))
    .onConflict((conflict) =>
      conflict.columns(["api_key_id", "address", "hour_at"]).doUpdateSet((eb) => ({
        reads: eb("key_read.reads", "+", eb.ref("excluded.reads")),
        last_at: eb.ref("excluded.last_at"),
        client: eb.ref("excluded.client"),
      })),
    )
    .execute()
}

/** How often a key was refused on a day, for a reason, from a network. */
export interface KeyRefusalSum {
  keyId: number
  dayAt: number
  reason: KeyRefusal
  network: string
  refused: number
  lastAt: number
}

/** From where these keys were refused on these days. */
export function refusedNetworks(
  db: Reader,
  keyIds: readonly number[],
  days: readonly number[],
): Promise<Pick<KeyRefusalSum, "keyId" | "dayAt" | "reason" | "network">[]> {
  return db
    .selectFrom("key_refusal")
    .select(["api_key_id as keyId", "day_at as dayAt", "reason", "address as network"])
    .where("api_key_id", "in", keyIds)
    .where("day_at", "in", days)
    .execute()
}

export async function addRefusals(tx: Tx, sums: readonly KeyRefusalSum[]): Promise<void> {
  await tx
    .insertInto("key_refusal")
    .values(
      sums.map(({ keyId, dayAt, reason, network, refused, lastAt }) => ({
        api_key_id: keyId,
        day_at: dayAt,
        reason,
        address: network,
        refused,
        last_at: lastAt,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["api_key_id", "day_at", "reason", "address"]).doUpdateSet((eb) => ({
        refused: eb("key_refusal.refused", "+", eb.ref("excluded.refused")),
        last_at: eb.ref("excluded.last_at"),
      })),
    )
    .execute()
}

export interface OftenRefused {
  keyId: number
  environmentId: number
  refused: number
}

/** Of these keys, those that were refused so often on a day. */
export async function oftenRefused(
  db: Reader,
  keyIds: readonly number[],
  { dayAt, atLeast }: { dayAt: number; atLeast: number },
): Promise<OftenRefused[]> {
  const rows = await db
    .selectFrom("key_refusal")
    .innerJoin("api_key", "api_key.id", "key_refusal.api_key_id")
    .select((eb) => [
      "key_refusal.api_key_id as keyId",
      "api_key.environment_id as environmentId",
      eb.fn.sum<number>("key_refusal.refused").as("refused"),
    ])
    .where("key_refusal.api_key_id", "in", keyIds)
    .where("key_refusal.day_at", "=", dayAt)
    .groupBy(["key_refusal.api_key_id", "api_key.environment_id"])
    .having((eb) => eb(eb.fn.sum("key_refusal.refused"), ">=", atLeast))
    .execute()
  return rows.map((row) => ({ ...row, refused: Number(row.refused) }))
}

export async function setLastRefused(tx: Tx, keyIds: readonly number[], at: number): Promise<void> {
  await tx.updateTable("api_key").set({ last_refused_at: at }).where("id", "in", keyIds).execute()
}

function toRow({ key, caller, network, hourAt, lastAt, reads }: KeyReads) {
  return {
    api_key_id: key.id,
    api_key_name: key.name,
    environment_id: key.environmentId,
    collection_id: key.collectionId,
    address: network,
    hour_at: hourAt,
    last_at: lastAt,
    reads,
    client: caller.client,
  }
}
