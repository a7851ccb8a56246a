import type { KeyObject } from "node:crypto"
import { type EnvironmentSummary, limits, sentences } from "@envkeep/contract"
import type { Action } from "../../access/actions.ts"
import type { Member } from "../../access/caller.ts"
import { outOfReach } from "../../access/out-of-reach.ts"
import { type Core, changeLocked, type Notes, oneChangePerUser } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import type { DataKey, Vault } from "../../keys/secrets.ts"
import * as store from "./revision-store.ts"

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
  const lock = (tx: Tx) => lockEnvironment(tx, core.vault, caller, { environmentId, action, note })
  return changeLocked(core, caller, { action, subject: subjectOf(environmentId), lock }, work)
}

/** For a change that locks in its own way, such as the base first. */
export function inTurn<Result>(caller: Member, environmentId: number, change: () => Promise<Result>): Promise<Result> {
  return oneChangePerUser(caller, subjectOf(environmentId), change)
}

function subjectOf(environmentId: number): string {
  return `environment ${environmentId}`
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

/**
 * Gives everything that inherits from a locked environment a new revision, in the transaction that changes what it
 * inherits: by the revision alone do readers notice. `revision` is the one that the environment gets.
 *
 * One level after the other, and before the collection is locked: a writer of an heir makes this one wait before it gets
 * to what is below, so they do not wait for each other in a circle.
 */
export async function raiseHeirs(
  tx: Tx,
  notes: Notes,
  { caller, id, revision }: { caller: Member; id: number; revision: number },
): Promise<void> {
  if (!(await store.hasHeirs(tx, { id }))) return
  let revisions = new Map([[id, revision]])
  for (let level = 0; revisions.size > 0 && level < limits.inheritanceLevels; level++) {
    const raised = await store.raiseHeirs(tx, [...revisions.keys()])
    const heirs = raised.flatMap(({ baseId, ...heir }) => {
      const baseRevision = baseId === null ? undefined : revisions.get(baseId)
      return baseId === null || baseRevision === undefined ? [] : [{ ...heir, baseId, baseRevision }]
    })
    if (heirs.length > 0) await store.addInherited(tx, caller, heirs)
    for (const heir of heirs) notes.invalidate({ environmentId: heir.id })
    revisions = new Map(heirs.map((heir) => [heir.id, heir.revision]))
  }
}
