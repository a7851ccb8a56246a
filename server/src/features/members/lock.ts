import { type Level, sentences } from "@envkeep/contract"
import type { Action } from "../../access/actions.ts"
import type { Member } from "../../access/caller.ts"
import { outOfReach } from "../../access/out-of-reach.ts"
import { type Core, changeLocked, type Notes } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import * as store from "./store.ts"

type Work<Result> = (tx: Tx, notes: Notes, collection: store.SharedCollection) => Promise<Result>

interface Change {
  action: Action
  id: number
  /** Another owner may have to pay for the collection afterwards: no write may be counted in between. */
  mayMovePayer?: boolean
}

/** Changes who is in a collection. */
export function changeMembers<Result>(
  core: Core,
  caller: Member,
  { action, id, mayMovePayer = false }: Change,
  work: Work<Result>,
): Promise<Result> {
  return changeLocked(core, caller, { action, subject: `members of collection ${id}`, lock }, work)

  async function lock(tx: Tx): Promise<store.SharedCollection> {
    if (mayMovePayer) await store.lockContents(tx, caller, id)
    const collection = await store.lockMembers(tx, caller, id)
    if (collection === undefined) throw await outOfReach(tx, caller, { collectionId: id })
    return collection
  }
}

/** Maintainers manage everyone but owners. */
export function refuseOwnersUnlessOwner({ isOwner }: store.SharedCollection, roles: readonly Level[]): void {
  if (!isOwner && roles.includes("owner")) throw new AppError("forbidden", sentences.ownersOnly)
}
