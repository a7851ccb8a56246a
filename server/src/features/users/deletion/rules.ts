import { type AccountDeletion, type InputOf, sentences, type users } from "@envkeep/contract"
import { type Caller, theServer, type UserCaller } from "../../../access/caller.ts"
import { hasPassword } from "../../../access/has-password.ts"
import type { Core, Door } from "../../../core/core.ts"
import { isOutage, isOutcomeUnknown } from "../../../db/faults.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import { AppError, conflict, invalid } from "../../../errors.ts"
import { deleteMarkedCollection, purgeCollections } from "../../trash/rules.ts"
import { disableAccount, isLastAdmin, isLastAdministrator } from "../administration.ts"
import { type Confirming, checkPassword } from "../rules.ts"
import * as accounts from "../store.ts"
import { leaveAll, leaveSome } from "./leave.ts"
import * as store from "./store.ts"

const shownCollections = 100

export function deletionOf(core: Core, { userId }: UserCaller): Promise<AccountDeletion> {
  return core.snapshot(async (snapshot) => ({
    collections: await store.paidFor(snapshot, userId, shownCollections),
    ownedAlone: await store.countPaidFor(snapshot, userId),
    trashedCount: await store.countTrashed(snapshot, userId),
    isLastAdmin: await isLastAdministrator(snapshot, userId),
  }))
}

/** Names in the history and in the activity of others stay as they were written there. */
export async function deleteOwnAccount(
  confirming: Confirming,
  caller: UserCaller,
  { password }: InputOf<typeof users.deleteAccount>,
): Promise<void> {
  if ((await checkPassword(confirming, caller, password)) === undefined) throw invalid(sentences.passwordWrong)
  await deleteAlone(confirming.core, caller)
}

/** For an account without a password, whose owner has confirmed the session. */
export async function deleteWithoutPassword(core: Core, caller: UserCaller): Promise<void> {
  if (await hasPassword(core.db, caller.userId)) throw invalid(sentences.passwordNeeded)
  await deleteAlone(core, caller)
}

/** In another session, the caller may move more to the trash while it is emptied. That is emptied too, but not forever. */
const maxRounds = 5

async function deleteAlone(core: Core, caller: UserCaller): Promise<void> {
  const { userId } = caller
  if (await isLastAdministrator(core.db, userId)) throw conflict(sentences.lastAdministrator)
  let isBegun = false
  for (let round = 1; round <= maxRounds; round++) {
    await refuseIfNeeded(core.db, userId)
    const trashed = await store.trashedIds(core.db, userId)
    if (trashed.length > 0) await purgeCollections(core, caller, trashed)
    isBegun ||= trashed.length > 0
    const isReady = async (tx: Tx) => {
      await refuseIfNeeded(tx, userId)
      return (await store.countTrashed(tx, userId)) === 0
    }
    try {
      while (await leaveSome(core, caller, userId)) isBegun = true
      const outcome = await deleteAccount(core, userId, { caller, isReady })
      if (outcome === "last administrator") throw conflict(sentences.lastAdministrator)
      if (outcome !== "not ready") return
    } catch (error) {
      // Some of it is gone by now, so the caller must not be told that nothing was changed.
      if (!isBegun || !isOutage(error) || isOutcomeUnknown(error)) throw error
      throw new AppError("unavailable", sentences.deletionBegun)
    }
  }
  throw conflict(sentences.deletionBegun)
}

/** Others may still need what the account pays for, and none of them pays without wanting to. So its owner decides about each. */
async function refuseIfNeeded(db: Reader, userId: number): Promise<void> {
  if ((await store.countPaidFor(db, userId)) > 0) throw conflict(sentences.ownsCollections)
}

type Outcome = "deleted" | "gone" | "last administrator" | "not ready"

/** What an account pays for and others own too. They can take it over; if not, it goes with the account. */
export function ownedWithOthers(door: Door, id: number): Promise<{ id: number; name: string }[]> {
  return store.paidForWithOthers(door.db, id)
}

/**
 * For the command line: the same as `deleteAccount`, but what goes with a large account goes before it, in short pieces of
 * work. The account is disabled first, so that nothing new comes in. Run again after it was interrupted, this continues.
 */
export async function deleteInPieces(door: Door, id: number): Promise<Outcome> {
  const outcome = await disableAccount(door, theServer, id)
  if (outcome === "gone" || outcome === "last administrator") return outcome
  await markOwned(door, id)
  for (const collectionId of await store.markedOf(door.db, id)) await deleteMarkedCollection(door, collectionId)
  while (await leaveSome(door, theServer, id));
  return deleteAccount(door, id)
}

const collectionsPerBatch = 50

/** From then on no call and no key finds what the account pays for. */
async function markOwned(door: Door, userId: number): Promise<void> {
  const ids = await store.unmarked(door.db, userId)
  for (let start = 0; start < ids.length; start += collectionsPerBatch) {
    const some = ids.slice(start, start + collectionsPerBatch)
    await door.change(theServer, "collection.purge", async (tx, notes) => {
      // Instead, there is an event for each of them.
      notes.nothingChanged()
      for (const collectionId of await store.mark(tx, userId, some)) {
        notes.also("collection.purge", { collectionId })
        notes.invalidate({ collectionId, ends: true })
      }
    })
  }
}

/**
 * Deletes an account with everything that it pays for. Its sessions, tokens and API keys are refused on every node from
 * then on.
 * `isReady` throws if something stands in the way, or is false if there is more to do before; nothing can come in between.
 */
export function deleteAccount(
  door: Door,
  id: number,
  { caller = theServer, isReady = async () => true }: { caller?: Caller; isReady?: (tx: Tx) => Promise<boolean> } = {},
): Promise<Outcome> {
  return door.change(caller, "account.delete", async (tx, notes) => {
    await accounts.lockOwned(tx, id)
    await store.lockTeams(tx, id)
    const locked = await accounts.lockUserAndAdmins(tx, id)
    const account = locked.find((user) => user.id === id)
    if (account === undefined || isLastAdmin(account, locked)) {
      notes.nothingChanged()
      return account === undefined ? "gone" : "last administrator"
    }
    if (!(await isReady(tx))) {
      notes.nothingChanged()
      return "not ready"
    }
    await leaveAll(tx, notes, { caller, id, username: account.username })
    await store.leaveTeams(tx, id)
    // Read under the lock: a collection that was made in the last moment is deleted too.
    for (const collectionId of await accounts.collectionIdsOf(tx, id)) notes.invalidate({ collectionId, ends: true })
    await accounts.deleteUser(tx, id)
    notes.about({ userId: id, username: account.username })
    return "deleted"
  })
}
