import type { KeyObject } from "node:crypto"
import { type EnvironmentSummary, sentences } from "@envkeep/contract"
import type { Action } from "../../access/actions.ts"
import type { Member } from "../../access/caller.ts"
import { outOfReach } from "../../access/out-of-reach.ts"
import { oneAtATime } from "../../bounds/one-at-a-time.ts"
import type { Core, Notes } from "../../db/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import type { DataKey, Vault } from "../../keys/secrets.ts"
import * as store from "./store.ts"

/**
 * An environment that is about to change. Only this file gives one, so a function that takes it knows that
 * the caller may change the environment and that no other writer does so at the same time.
 */
export interface LockedEnvironment extends EnvironmentSummary {
  caller: Member
  /** What is being done to it, for its history. */
  action: Action
  note: string
  sealedBytes: number
  /** 1 if long names are among these bytes. */
  countsNames: number
  dataKey: DataKey
}

type Work<Result> = (tx: Tx, notes: Notes, environment: LockedEnvironment) => Promise<Result>

/** Changes an environment under a lock that lasts until the commit, so that concurrent changes never mix. */
export function changeEnvironment<Result>(
  core: Core,
  caller: Member,
  { action, environmentId, note = "" }: { action: Action; environmentId: number; note?: string | undefined },
  work: Work<Result>,
): Promise<Result> {
  return inTurn(caller, environmentId, () =>
    core.change(caller, action, async (tx, notes) => {
      const environment = await lockEnvironment(tx, core.vault, caller, { environmentId, action, note })
      return work(tx, notes, environment)
    }),
  )
}

const oneAfterTheOther = oneAtATime<string>()

/**
 * A user's changes of an environment wait for each other here, before they take a connection. If they waited for the
 * database's lock, a few of them would hold every connection. Other users are not kept waiting: to them, the
 * environment does not exist, but they can name its id.
 */
export function inTurn<Result>(
  { userId }: Member,
  environmentId: number,
  change: () => Promise<Result>,
): Promise<Result> {
  return oneAfterTheOther(`${userId} ${environmentId}`, change)
}

/** For a change that has begun with another environment: what inherits from it is locked after it. */
export async function lockEnvironment(
  tx: Tx,
  vault: Vault,
  caller: Member,
  { environmentId, action, note = "" }: { environmentId: number; action: Action; note?: string },
): Promise<LockedEnvironment> {
  const row = await store.lockEnvironment(tx, caller, environmentId)
  if (row === undefined) throw await outOfReach(tx, caller, { environmentId })
  const { wrappedKey, ...environment } = row
  const dataKey = await vault.dataKey(tx, row.collectionId, wrappedKey)
  return { ...environment, caller, dataKey, action, note }
}

/** The key to seal with. Deleting does not need it, so items can be deleted even if the collection's key is damaged. */
export function sealingKey({ dataKey }: LockedEnvironment): KeyObject {
  if (dataKey === undefined) throw new AppError("unprocessable", sentences.collectionKeyDamaged)
  return dataKey
}
