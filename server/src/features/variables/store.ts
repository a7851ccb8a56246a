import type { Db } from "../../db/schema.ts"

// The holder of a key acts for its owner within one environment: every query begins at the key's hash.

export interface KeyHolderRow {
  name: string
  environment: string
  collection: string
  environmentId: number
  collectionId: number
  revision: number
  wrappedKey: Uint8Array
}

export function environmentOfKey(db: Db, keyHash: string): Promise<KeyHolderRow | undefined> {
  return db
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select([
      "api_key.name",
      "environment.name as environment",
      "collection.name as collection",
      "environment.id as environmentId",
      "collection.id as collectionId",
      "environment.revision",
      "collection.data_key as wrappedKey",
    ])
    .where("api_key.key_hash", "=", keyHash)
    .executeTakeFirst()
}

export interface VariableRow {
  revision: number
  /** Null, as the sealed value, in the one row of an environment without items. */
  name: string | null
  sealedValue: Uint8Array | null
}

/** The items with the revision they make up, in one statement: the two can never come from different moments. */
export function variableRows(db: Db, keyHash: string): Promise<VariableRow[]> {
  return db
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .leftJoin("item", "item.environment_id", "environment.id")
    .select(["environment.revision", "item.name", "item.sealed_value as sealedValue"])
    .where("api_key.key_hash", "=", keyHash)
    .orderBy("item.id")
    .execute()
}

/** The environment's revision and the hashes of the keys that may read it; nothing when it is gone. */
export async function watchedState(
  db: Db,
  environmentId: number,
): Promise<{ revision: number; keyHashes: Set<string> } | undefined> {
  const rows = await db
    .selectFrom("environment")
    .innerJoin("api_key", "api_key.environment_id", "environment.id")
    .select(["environment.revision", "api_key.key_hash as keyHash"])
    .where("environment.id", "=", environmentId)
    .execute()
  const [first] = rows
  return first && { revision: first.revision, keyHashes: new Set(rows.map((row) => row.keyHash)) }
}

export async function setLastUsed(db: Db, keyHashes: string[], at: number): Promise<void> {
  for (let start = 0; start < keyHashes.length; start += 1_000) {
    await db
      .updateTable("api_key")
      .set({ last_used_at: at })
      .where("key_hash", "in", keyHashes.slice(start, start + 1_000))
      .execute()
  }
}
