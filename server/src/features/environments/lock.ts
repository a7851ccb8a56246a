import type { KeyObject } from "node:crypto"
import { type EnvironmentSummary, sentences } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError, notFound } from "../../errors.ts"
import type { DataKey, Vault } from "../../keys/secrets.ts"
import * as store from "./store.ts"

/**
 * An environment that is about to change. Only `lockEnvironment` returns one, so a function that takes it knows that
 * the caller may change the environment and that no other writer does so at the same time.
 */
export interface LockedEnvironment extends EnvironmentSummary {
  caller: Member
  sealedBytes: number
  dataKey: DataKey
}

/** Locks the environment until the transaction ends, so that concurrent changes never mix. */
export async function lockEnvironment(
  tx: Tx,
  vault: Vault,
  caller: Member,
  environmentId: number,
): Promise<LockedEnvironment> {
  const row = await store.lockEnvironment(tx, caller, environmentId)
  if (row === undefined) throw notFound("Environment")
  const { wrappedKey, ...environment } = row
  const dataKey = await vault.dataKey(tx, row.collectionId, wrappedKey)
  return { ...environment, caller, dataKey }
}

/** The key to seal with. Deleting does not need it, so items can be deleted even if the collection's key is damaged. */
export function sealingKey({ dataKey }: LockedEnvironment): KeyObject {
  if (dataKey === undefined) throw new AppError("unprocessable", sentences.collectionKeyDamaged)
  return dataKey
}
