import {
  type Environment,
  type EnvironmentSummary,
  type environments,
  type InputOf,
  sentences,
} from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import type { Db } from "../../db/schema.ts"
import { announceChange, inSnapshot, inTransaction } from "../../db/transaction.ts"
import { notFound, unlessTaken } from "../../errors.ts"
import type { DataKey, Vault } from "../../keys/secrets.ts"
import { apiKeysOf } from "./api-keys/rules.ts"
import { itemsOf } from "./items/rules.ts"
import type { Scope } from "./scope.ts"
import * as store from "./store.ts"

export async function createEnvironment(
  db: Db,
  caller: UserCaller,
  input: InputOf<typeof environments.create>,
): Promise<Environment> {
  const row = await unlessTaken(sentences.environmentNameTaken, () =>
    inTransaction(db, (tx) => store.insertEnvironment(tx, caller.userId, input)),
  )
  if (row === undefined) throw notFound("Collection")
  return { ...row, collectionItems: [], apiKeys: [] }
}

export function renameEnvironment(
  db: Db,
  caller: UserCaller,
  input: InputOf<typeof environments.rename>,
): Promise<EnvironmentSummary> {
  return unlessTaken(sentences.environmentNameTaken, () =>
    inTransaction(db, async (tx) => {
      const row = await store.renameEnvironment(tx, caller.userId, input)
      if (row === undefined) throw notFound("Environment")
      announceChange(tx, { environmentId: row.id })
      return row
    }),
  )
}

export function deleteEnvironment(
  db: Db,
  caller: UserCaller,
  { id }: InputOf<typeof environments.remove>,
): Promise<null> {
  return inTransaction(db, async (tx) => {
    if ((await store.deleteEnvironment(tx, caller.userId, id)) === undefined) throw notFound("Environment")
    announceChange(tx, { environmentId: id, ends: true })
    return null
  })
}

export async function getEnvironment(
  db: Db,
  vault: Vault,
  caller: UserCaller,
  { id }: InputOf<typeof environments.get>,
): Promise<Environment> {
  const [environment] = await inSnapshot(db, (tx) => wholeEnvironments(tx, vault, caller, { environmentId: id }))
  if (environment === undefined) throw notFound("Environment")
  return environment
}

export function listEnvironments(
  db: Db,
  vault: Vault,
  caller: UserCaller,
  { id }: InputOf<typeof environments.listOfCollection>,
): Promise<Environment[]> {
  return inSnapshot(db, async (tx) => {
    if (!(await store.ownsCollection(tx, caller.userId, id))) throw notFound("Collection")
    return wholeEnvironments(tx, vault, caller, { collectionId: id })
  })
}

/** Environments with their items and API keys opened. Takes a snapshot, so that the three fit each other. */
export async function wholeEnvironments(
  snapshot: Db,
  vault: Vault,
  caller: UserCaller,
  scope: Scope,
): Promise<Environment[]> {
  const rows = await store.environmentRowsWithKeys(snapshot, caller.userId, scope)
  const keys = new Map<number, DataKey>()
  for (const row of rows) keys.set(row.id, await vault.dataKey(snapshot, row.collectionId, row.wrappedKey))
  const items = await itemsOf(snapshot, caller, scope, keys)
  const apiKeys = await apiKeysOf(snapshot, caller, scope, keys)
  return rows.map(({ wrappedKey: _, ...row }) => ({
    ...row,
    collectionItems: items.get(row.id) ?? [],
    apiKeys: apiKeys.get(row.id) ?? [],
  }))
}

/** What lists show: the environments of all of the caller's collections, or of one. */
export async function summariesByCollection(
  db: Db,
  caller: UserCaller,
  collectionId?: number,
): Promise<Map<number, EnvironmentSummary[]>> {
  const scope = collectionId === undefined ? undefined : { collectionId }
  return Map.groupBy(await store.environmentRows(db, caller.userId, scope), (row) => row.collectionId)
}
