import type { Caller } from "../../../access/caller.ts"
import type { Door, Notes } from "../../../core/core.ts"
import type { Tx } from "../../../db/schema.ts"
import * as store from "./store.ts"

// An account that goes leaves the collections of others, and so do its teams that have no other member. Each of these
// collections gets an event. The rows go with the account and the teams.

/** Of each kind. Others wait for a change that writes thousands of events. */
export const maxLeftAtOnce = 200

interface Left {
  userId: number
  /** Needed if the account is gone when the events are written. */
  username?: string
  collectionIds?: number[]
  shares?: store.TeamShare[]
}

/** For a change that deletes the account. */
export async function leaveAll(
  tx: Tx,
  notes: Notes,
  { caller, id, username }: { caller: Caller; id: number; username: string },
) {
  const collectionIds = await store.membershipsOf(tx, id)
  const shares = await store.sharesOfTeams(tx, id)
  noteLeft(notes, caller, { userId: id, username, collectionIds, shares })
}

/**
 * Before it: leaves some of them, so that the rest can go with the account. Returns whether there may be more. Each change
 * is whole: if the deletion ends in between, the account is in fewer collections.
 */
export function leaveSome(door: Door, caller: Caller, userId: number): Promise<boolean> {
  return door.change(caller, leaving(caller), async (tx, notes) => {
    // Instead, there is an event for each of them.
    notes.nothingChanged()
    return (await leaveOthers(tx, notes, { caller, userId })) || unshare(tx, notes, { caller, userId })
  })
}

async function leaveOthers(tx: Tx, notes: Notes, { caller, userId }: { caller: Caller; userId: number }) {
  const some = (await store.membershipsOf(tx, userId, 2 * maxLeftAtOnce)).slice(maxLeftAtOnce)
  if (some.length === 0) return false
  noteLeft(notes, caller, { userId, collectionIds: await store.leave(tx, userId, some) })
  return true
}

async function unshare(tx: Tx, notes: Notes, { caller, userId }: { caller: Caller; userId: number }) {
  // Otherwise PostgreSQL would not see a member who joins one of them at this moment.
  await store.lockTeams(tx, userId)
  const shares = (await store.sharesOfTeams(tx, userId, 2 * maxLeftAtOnce)).slice(maxLeftAtOnce)
  for (const share of shares) await store.unshare(tx, share)
  noteLeft(notes, caller, { userId, shares })
  return shares.length > 0
}

function noteLeft(notes: Notes, caller: Caller, { collectionIds = [], shares = [], ...account }: Left): void {
  // The keys too: if the account that pays is disabled, they work only while others are in the collection.
  for (const collectionId of collectionIds) {
    notes.also(leaving(caller), { collectionId, ...account })
    notes.invalidate({ collectionId })
  }
  for (const { collectionId, team } of shares) {
    notes.also("member.remove-team", { collectionId, team })
    notes.invalidate({ collectionId })
  }
}

function leaving(caller: Caller): "member.leave" | "member.remove" {
  return caller.kind === "user" ? "member.leave" : "member.remove"
}
