import type { Member } from "../../../access/caller.ts"
import { type SettingsRow, settingColumns } from "../../../access/key-holder.ts"
import { collectionsInReach, environmentsInReach, reach } from "../../../access/reach.ts"
import { deleteInBatches } from "../../../bounds/batches.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import type { LockedEnvironment } from "../lock.ts"
import { inScope, type Scope } from "../scope.ts"

// Reads and deletes have the caller's reach in their WHERE. Inserts take an environment that the caller has locked.

const rowsPerDelete = 1_000

export interface ApiKeyRow extends SettingsRow {
  id: number
  environmentId: number
  environmentName: string
  collectionId: number
  collectionName: string
  sealedKey: Uint8Array
  wrappedKey: Uint8Array
  lastUsedAt: number | null
}

export function apiKeyRows(db: Reader, caller: Member, scope?: Scope): Promise<ApiKeyRow[]> {
  return db
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select([
      "api_key.id",
      ...settingColumns,
      "api_key.environment_id as environmentId",
      "environment.name as environmentName",
      "collection.id as collectionId",
      "collection.name as collectionName",
      "api_key.sealed_key as sealedKey",
      "collection.data_key as wrappedKey",
      "api_key.last_used_at as lastUsedAt",
    ])
    .where(reach(caller))
    .where(inScope(scope))
    .orderBy("api_key.id")
    .execute()
}

export async function hasApiKeys(tx: Tx, environment: LockedEnvironment, count: number): Promise<boolean> {
  const last = await tx
    .selectFrom("api_key")
    .select("id")
    .where("environment_id", "=", environment.id)
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return last !== undefined
}

export function insertApiKey(
  tx: Tx,
  environment: LockedEnvironment,
  settings: SettingsRow,
  { keyHash, sealedKey }: { keyHash: string; sealedKey: Uint8Array },
): Promise<{ id: number }> {
  return tx
    .insertInto("api_key")
    .values({
      ...settings,
      environment_id: environment.id,
      key_hash: keyHash,
      sealed_key: sealedKey,
      created_at: Date.now(),
    })
    .returning("id")
    .executeTakeFirstOrThrow()
}

export function deleteApiKeysIn(tx: Tx, caller: Member, scope: Scope): Promise<number> {
  return deleteInBatches(rowsPerDelete, async () => {
    const { numDeletedRows } = await tx
      .deleteFrom("api_key")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("api_key")
          .innerJoin("environment", "environment.id", "api_key.environment_id")
          .select("api_key.id")
          .where("environment.collection_id", "in", collectionsInReach(caller))
          .where(inScope(scope))
          .limit(rowsPerDelete),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}

export function deleteApiKey(
  tx: Tx,
  caller: Member,
  id: number,
): Promise<{ environmentId: number; keyHash: string } | undefined> {
  return tx
    .deleteFrom("api_key")
    .where("id", "=", id)
    .where("environment_id", "in", environmentsInReach(caller))
    .returning(["environment_id as environmentId", "key_hash as keyHash"])
    .executeTakeFirst()
}
