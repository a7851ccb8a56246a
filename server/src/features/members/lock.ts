import { type Level, sentences } from "@envkeep/contract"
import type { Action } from "../../access/actions.ts"
import type { Member } from "../../access/caller.ts"
import { outOfReach } from "../../access/out-of-reach.ts"
import { oneAtATime } from "../../bounds/one-at-a-time.ts"
import type { Core, Notes } from "../../db/core.ts"
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

const oneAfterTheOther = oneAtATime<string>()

/** Changes who is in a collection, under a lock that lasts until the commit: of two changes, the second sees the first. */
export function changeMembers<Result>(
  core: Core,
  caller: Member,
  { action, id, mayMovePayer = false }: Change,
  work: Work<Result>,
): Promise<Result> {
  // A user's changes wait for each other here, before they take a connection.
  return oneAfterTheOther(`${caller.userId} ${id}`, () =>
    core.change(caller, action, async (tx, notes) => {
      if (mayMovePayer) await store.lockContents(tx, caller, id)
      const collection = await store.lockMembers(tx, caller, id)
      if (collection === undefined) throw await outOfReach(tx, caller, { collectionId: id })
      return work(tx, notes, collection)
    }),
  )
}

/** Maintainers manage everyone but owners. */
export function refuseOwnersUnlessOwner({ isOwner }: store.SharedCollection, roles: readonly Level[]): void {
  if (!isOwner && roles.includes("owner")) throw new AppError("forbidden", sentences.ownersOnly)
}
