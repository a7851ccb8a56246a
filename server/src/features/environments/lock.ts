import type { KeyObject } from "node:crypto"
import { type EnvironmentSummary, limits, sentences } from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import type { Db } from "../../db/schema.ts"
import { announceChange } from "../../db/transaction.ts"
import { AppError, invalid, notFound } from "../../errors.ts"
import type { DataKey, Vault } from "../../keys/secrets.ts"
import * as store from "./store.ts"

/**
 * An environment that its owner is about to change. Only `lockEnvironment` makes one, so whatever takes it is known to
 * act for the owner, and to act alone.
 */
export interface LockedEnvironment extends EnvironmentSummary {
  ownerId: number
  sealedBytes: number
  dataKey: DataKey
}

/** Locks the environment until the transaction ends, so that writers take turns and the last one wins whole. */
export async function lockEnvironment(
  tx: Db,
  vault: Vault,
  caller: UserCaller,
  environmentId: number,
): Promise<LockedEnvironment> {
  const row = await store.lockEnvironment(tx, caller.userId, environmentId)
  if (row === undefined) throw notFound("Environment")
  const { wrappedKey, ...environment } = row
  const dataKey = await vault.dataKey(tx, row.collectionId, wrappedKey)
  return { ...environment, ownerId: caller.userId, dataKey }
}

/** The key to seal with; deleting needs none, so that a collection whose key is damaged can still be cleared. */
export function sealingKey({ dataKey }: LockedEnvironment): KeyObject {
  if (dataKey === undefined) throw new AppError("unprocessable", sentences.collectionKeyDamaged)
  return dataKey
}

/** Every change to the items ends here: readers tell two states of an environment apart by its revision alone. */
export async function raiseRevision(
  tx: Db,
  environment: LockedEnvironment,
  { itemCount, sealedBytes }: { itemCount: number; sealedBytes: number },
): Promise<EnvironmentSummary> {
  if (itemCount > environment.itemCount && itemCount > limits.itemsPerEnvironment) {
    throw invalid(sentences.environmentFull)
  }
  if (sealedBytes > environment.sealedBytes) await refuseTooMuch(tx, environment, sealedBytes)
  announceChange(tx, { environmentId: environment.id })
  return store.raiseRevision(tx, environment.ownerId, { id: environment.id, itemCount, sealedBytes })
}

/** What was within the limits once can always shrink, whatever the limits are now. */
async function refuseTooMuch(tx: Db, environment: LockedEnvironment, sealedBytes: number): Promise<void> {
  if (sealedBytes > limits.environmentBytes) throw invalid(sentences.environmentTooLarge)
  await store.lockCollectionSize(tx, environment.ownerId, environment.collectionId)
  const beside = await store.sealedBytesBeside(tx, environment.ownerId, environment)
  if (beside + sealedBytes > limits.collectionBytes) throw invalid(sentences.collectionTooLarge)
}
