import type { EnvironmentSummary } from "@envkeep/contract"
import type { UserCaller } from "../../caller.ts"
import { unwrapDataKey, type Vault } from "../../crypto/vault.ts"
import type { Db } from "../../db/schema.ts"
import { announceChange } from "../../db/transaction.ts"
import { AppError, notFound } from "../../errors.ts"
import * as store from "./store.ts"

/**
 * An environment that its owner is about to change. Only `lockEnvironment` makes one, so whatever takes it is known to
 * act for the owner, and to act alone.
 */
export interface LockedEnvironment extends EnvironmentSummary {
  ownerId: number
  dataKey: Uint8Array
}

/** Locks the environment until the transaction ends, so that writers take turns and the last one wins whole. */
export async function lockEnvironment(
  tx: Db,
  vault: Vault,
  caller: UserCaller,
  environmentId: number,
): Promise<LockedEnvironment> {
  const row = await store.lockEnvironment(tx, caller.userId, environmentId)
  const collection = row && (await store.wrappedKeyOf(tx, caller.userId, row.collectionId))
  if (row === undefined || collection === undefined) throw notFound("Environment")

  const dataKey = unwrapDataKey(vault, row.collectionId, collection.wrappedKey)
  if (dataKey === undefined) {
    throw new AppError(
      "unprocessable",
      "The encryption key of this collection is damaged, so its values cannot be changed. Please restore a backup",
    )
  }
  return { ...row, ownerId: caller.userId, dataKey }
}

/** Every change to the items ends here: readers tell two states of an environment apart by its revision alone. */
export function raiseRevision(
  tx: Db,
  environment: LockedEnvironment,
  itemCount = environment.itemCount,
): Promise<EnvironmentSummary> {
  announceChange(tx, { environmentId: environment.id })
  return store.raiseRevision(tx, environment.ownerId, { id: environment.id, itemCount })
}
