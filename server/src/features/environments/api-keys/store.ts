import type { Member } from "../../../access/caller.ts"
import { type SettingsRow, settingColumns } from "../../../access/key-holder.ts"
import { isApiKeyInReach, reachEnvironment, reachPage } from "../../../access/reach.ts"
import { locksRows } from "../../../db/engine.ts"
import { isListed, listed } from "../../../db/listed.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import type { LockedEnvironment } from "../change-environment.ts"
import { inScope, type Scope } from "../scope.ts"

// Reads and deletes have the caller's reach in their WHERE. Inserts take an environment that the caller has locked.

/** Also several collections, for a list. */
type KeyScope = Scope | { collectionIds: readonly number[] }

export interface KeyedEnvironment {
  id: number
  name: string
  collectionId: number
  collectionName: string
  wrappedKey: Uint8Array
  apiKeys: number
}

/** Ids of collections in which the caller may see API keys of at least some environments, those after this one. */
export function collectionIdsAfter(
  db: Reader,
  caller: Member,
  page: { lastId: number; count: number },
): Promise<{ id: number }[]> {
  return db
    .selectFrom("collection")
    .select("collection.id")
    .where(reachPage(db, caller, page))
    .orderBy("collection.id")
    .limit(page.count)
    .execute()
}

/** The environments that have API keys. */
export async function keyedEnvironments(db: Reader, caller: Member, scope: KeyScope): Promise<KeyedEnvironment[]> {
  const rows = await db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => [
      "environment.id",
      "environment.name",
      "collection.id as collectionId",
      "collection.name as collectionName",
      "collection.data_key as wrappedKey",
      eb
        .selectFrom("api_key")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .whereRef("api_key.environment_id", "=", "environment.id")
        .as("apiKeys"),
    ])
    .where(reachEnvironment(caller))
    .where(
      "collectionIds" in scope
        ? isListed(db, "environment.collection_id", listed(db, scope.collectionIds))
        : inScope(scope),
    )
    .execute()
  return rows.map((row) => ({ ...row, apiKeys: row.apiKeys ?? 0 })).filter(({ apiKeys }) => apiKeys > 0)
}

export interface ApiKeyRow extends SettingsRow {
  id: number
  environmentId: number
  sealedKey: Uint8Array
  createdAt: number
  createdById: number | null
  /** Null if the account is deleted. */
  createdBy: string | null
  disabledAt: number | null
  replacedById: number | null
  lastUsedAt: number | null
  lastUsedBy: string | null
  lastUsedFrom: string | null
  lastRefusedAt: number | null
}

export function apiKeyRows(db: Reader, caller: Member, environmentIds: readonly number[]): Promise<ApiKeyRow[]> {
  return apiKeys(db).where("api_key.environment_id", "in", environmentIds).where(isApiKeyInReach(caller)).execute()
}

export function apiKeyRow(db: Reader, caller: Member, id: number): Promise<ApiKeyRow | undefined> {
  return apiKeys(db).where("api_key.id", "=", id).where(isApiKeyInReach(caller)).executeTakeFirst()
}

function apiKeys(db: Reader) {
  return db
    .selectFrom("api_key")
    .leftJoin("user as maker", "maker.id", "api_key.created_by_id")
    .select([
      "api_key.id",
      ...settingColumns,
      "api_key.environment_id as environmentId",
      "api_key.sealed_key as sealedKey",
      "api_key.created_at as createdAt",
      "api_key.created_by_id as createdById",
      "maker.username as createdBy",
      "api_key.disabled_at as disabledAt",
      "api_key.replaced_by_id as replacedById",
      "api_key.last_used_at as lastUsedAt",
      "api_key.last_used_by as lastUsedBy",
      "api_key.last_used_from as lastUsedFrom",
      "api_key.last_refused_at as lastRefusedAt",
    ])
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

export async function insertApiKey(
  tx: Tx,
  environment: LockedEnvironment,
  settings: Partial<SettingsRow> & Pick<SettingsRow, "name">,
  { keyHash, sealedKey }: { keyHash: string; sealedKey: Uint8Array },
): Promise<{ id: number }> {
  await raiseKeysRevision(tx, environment)
  return tx
    .insertInto("api_key")
    .values({
      ...settings,
      environment_id: environment.id,
      key_hash: keyHash,
      sealed_key: sealedKey,
      created_at: Date.now(),
      created_by_id: environment.caller.userId,
    })
    .returning("id")
    .executeTakeFirstOrThrow()
}

export async function keyNames(tx: Tx, environment: LockedEnvironment): Promise<string[]> {
  const rows = await tx.selectFrom("api_key").select("name").where("environment_id", "=", environment.id).execute()
  return rows.map(({ name }) => name)
}

type ChangedColumns = Partial<SettingsRow> & {
  disabled_at?: number | null
  sealed_key?: Uint8Array
  replaced_by_id?: number
}

/** Gives the key's hash. */
export async function updateApiKey(
  tx: Tx,
  environment: LockedEnvironment,
  id: number,
  changed: ChangedColumns,
): Promise<string> {
  await raiseKeysRevision(tx, environment)
  const { keyHash } = await tx
    .updateTable("api_key")
    .set(changed)
    .where("id", "=", id)
    .where("environment_id", "=", environment.id)
    .returning("key_hash as keyHash")
    .executeTakeFirstOrThrow()
  return keyHash
}

/** Locks the environment first, so that the key is counted to the account that pays when it is deleted. */
export async function deleteApiKey(
  tx: Tx,
  caller: Member,
  id: number,
): Promise<{ environmentId: number; keyHash: string; name: string; collectionId: number } | undefined> {
  const environment = await tx
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select(["environment.id", "environment.collection_id as collectionId"])
    .where("api_key.id", "=", id)
    .where(reachEnvironment(caller))
    .$if(locksRows(tx), (query) => query.forUpdate("environment"))
    .executeTakeFirst()
  if (environment === undefined) return undefined
  const row = await tx
    .deleteFrom("api_key")
    .where("id", "=", id)
    .where(isApiKeyInReach(caller))
    .returning(["environment_id as environmentId", "key_hash as keyHash", "name"])
    .executeTakeFirst()
  if (row === undefined) return undefined
  await raiseKeysRevision(tx, environment)
  return { ...row, collectionId: environment.collectionId }
}

/** Of a locked environment. */
async function raiseKeysRevision(tx: Tx, { id }: { id: number }): Promise<void> {
  await tx
    .updateTable("environment")
    .set((eb) => ({ keys_revision: eb("keys_revision", "+", 1) }))
    .where("id", "=", id)
    .execute()
}
