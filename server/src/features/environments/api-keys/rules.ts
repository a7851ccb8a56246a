import { type ApiKey, type apiKeys, type InputOf, type ListedApiKey, sentences } from "@envkeep/contract"
import type { UserCaller } from "../../../access/caller.ts"
import type { Db } from "../../../db/schema.ts"
import { announceChange, inTransaction } from "../../../db/transaction.ts"
import { notFound, unlessTaken } from "../../../errors.ts"
import { type DataKey, openSecret, sealSecret, type Vault } from "../../../keys/secrets.ts"
import { hashToken, newApiKey } from "../../../keys/token.ts"
import { lockEnvironment, sealingKey } from "../lock.ts"
import type { Scope } from "../scope.ts"
import * as store from "./store.ts"

export function createApiKey(
  db: Db,
  vault: Vault,
  caller: UserCaller,
  { name, subCollectionId }: InputOf<typeof apiKeys.create>,
): Promise<ApiKey> {
  return unlessTaken(sentences.apiKeyNameTaken, () =>
    inTransaction(db, async (tx) => {
      const environment = await lockEnvironment(tx, vault, caller, subCollectionId)
      const key = newApiKey()
      const place = { kind: "api-key", environmentId: environment.id, name } as const
      const { id } = await store.insertApiKey(tx, environment, {
        name,
        keyHash: hashToken(key),
        sealedKey: sealSecret(sealingKey(environment), key, place),
      })
      return { id, name, key, subCollectionId, lastUsedAt: null }
    }),
  )
}

export function deleteApiKey(db: Db, caller: UserCaller, { id }: InputOf<typeof apiKeys.remove>): Promise<null> {
  return inTransaction(db, async (tx) => {
    const row = await store.deleteApiKey(tx, caller.userId, id)
    if (row === undefined) throw notFound("API Key")
    const { environmentId, keyHash } = row
    announceChange(tx, { environmentId, ends: { keyHash } })
    return null
  })
}

export async function listApiKeys(db: Db, vault: Vault, caller: UserCaller): Promise<ListedApiKey[]> {
  const rows = await store.apiKeyRows(db, caller.userId)
  const listed: ListedApiKey[] = []
  for (const row of rows) {
    const dataKey = await vault.dataKey(db, row.collectionId, row.wrappedKey)
    listed.push({
      ...opened(row, dataKey),
      subCollectionName: row.environmentName,
      collectionName: row.collectionName,
    })
  }
  return listed
}

/** The API keys in scope by environment, sorted by id; one that cannot be opened is null, but still works. */
export async function apiKeysOf(
  db: Db,
  caller: UserCaller,
  scope: Scope,
  keys: ReadonlyMap<number, DataKey>,
): Promise<Map<number, ApiKey[]>> {
  const rows = await store.apiKeyRows(db, caller.userId, scope)
  return Map.groupBy(
    rows.map((row) => opened(row, keys.get(row.environmentId))),
    (key) => key.subCollectionId,
  )
}

function opened({ id, name, environmentId, sealedKey, lastUsedAt }: store.ApiKeyRow, key: DataKey): ApiKey {
  const place = { kind: "api-key", environmentId, name } as const
  return {
    id,
    name,
    key: openSecret(key, sealedKey, place),
    subCollectionId: environmentId,
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}
