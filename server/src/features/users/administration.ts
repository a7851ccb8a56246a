import { limits, sentences } from "@envkeep/contract"
import { type Caller, theServer, type UserCaller } from "../../access/caller.ts"
import { emailKey } from "../../access/email-key.ts"
import { endAllSessions, endOtherSessions, endWaitingSignIns } from "../../access/end-sessions.ts"
import type { Core, Door } from "../../core/core.ts"
import type { Reader } from "../../db/schema.ts"
import { AppError, unlessTaken } from "../../errors.ts"
import { hashPassword } from "../../keys/password.ts"
import { forgetApprovals } from "../cli-logins/end.ts"
import { isCommonPassword } from "./common-passwords.ts"
import * as store from "./store.ts"

// What administrators do with accounts, in the admin area, at the command line or in the settings.

/** Creates the account that the settings ask for. An existing account with that e-mail is not touched. */
export async function createAdminUnlessTaken(
  core: Core,
  { email, password }: { email: string; password: string },
): Promise<"created" | "already admin" | "taken" | "common password"> {
  const username = email.slice(0, email.indexOf("@")).slice(0, limits.username)
  if ((await store.userByEmail(core.db, emailKey(email))) === undefined) {
    if (await isCommonPassword(password, { username, email })) return "common password"
    try {
      const passwordHash = await hashPassword(password, theServer.kind)
      const row = { username, email, emailKey: emailKey(email), passwordHash, isAdmin: true }
      await unlessTaken(sentences.emailTaken, () =>
        core.change(theServer, "account.create", async (tx, notes) => {
          const { id } = await store.insertUser(tx, row)
          notes.about({ userId: id })
        }),
      )
      return "created"
    } catch (error) {
      // Another node that started at the same time was faster.
      if (!(error instanceof AppError && error.code === "conflict")) throw error
    }
  }
  return (await store.userByEmail(core.db, emailKey(email)))?.isAdmin === 1 ? "already admin" : "taken"
}

/** For the command line: an account and how much it owns, or undefined if there is none with this e-mail. */
export async function findAccount(
  { db }: Door,
  email: string,
): Promise<{ id: number; email: string; isDisabled: boolean; owned: store.OwnedCounts } | undefined> {
  const account = await store.userByEmail(db, emailKey(email.trim()))
  if (account === undefined) return undefined
  const { id, disabledAt } = account
  return { id, email: account.email, isDisabled: disabledAt !== null, owned: await store.countOwned(db, id) }
}

/**
 * Ends the account's sessions, and refuses its password on every node from then on, and the API keys of what it shares
 * with no one.
 */
export function disableAccount(
  door: Door,
  caller: Caller,
  id: number,
): Promise<"disabled" | "disabled before" | "gone" | "last administrator"> {
  return door.change(caller, "account.disable", async (tx, notes) => {
    const locked = await store.lockUserAndAdmins(tx, id)
    const account = locked.find((user) => user.id === id)
    if (account === undefined || account.disabledAt !== null || isLastAdmin(account, locked)) {
      notes.nothingChanged()
      if (account === undefined) return "gone"
      return account.disabledAt === null ? "last administrator" : "disabled before"
    }
    await store.setDisabledAt(tx, id, Date.now())
    await endAllSessions(tx, id)
    await forgetApprovals(tx, id)
    // Read under the lock: the keys of a collection that was made in the last moment are refused too.
    for (const collectionId of await store.unsharedCollectionIdsOf(tx, id))
      notes.invalidate({ collectionId, ends: true })
    notes.about({ userId: id })
    return "disabled"
  })
}

/** The account's password and API keys work again. No node remembers a refused key, so none has to be notified. */
export function enableAccount(door: Door, caller: Caller, id: number): Promise<"enabled" | "not disabled" | "gone"> {
  return door.change(caller, "account.enable", async (tx, notes) => {
    const account = (await store.lockUserAndAdmins(tx, id)).find((user) => user.id === id)
    if (account === undefined || account.disabledAt === null) {
      notes.nothingChanged()
      return account === undefined ? "gone" : "not disabled"
    }
    await store.setDisabledAt(tx, id, null)
    notes.about({ userId: id })
    return "enabled"
  })
}

/** Makes the account an administrator, or takes that back. Only at the command line from the last one: it can also grant. */
export function setAdmin(
  door: Door,
  caller: Caller,
  id: number,
  isAdmin: boolean,
): Promise<"done" | "gone" | "last administrator"> {
  return door.change(caller, isAdmin ? "admin.grant" : "admin.revoke", async (tx, notes) => {
    const locked = await store.lockUserAndAdmins(tx, id)
    const account = locked.find((user) => user.id === id)
    const isRefused = account !== undefined && !isAdmin && caller.kind === "user" && isLastAdmin(account, locked)
    if (account === undefined || isRefused || (account.isAdmin === 1) === isAdmin) {
      notes.nothingChanged()
      if (account === undefined) return "gone"
      return isRefused ? "last administrator" : "done"
    }
    await store.setIsAdmin(tx, id, isAdmin)
    notes.about({ userId: id })
    return "done"
  })
}

/** Signs the account out everywhere, but not the caller's own session. What would soon become a session or a token ends too. */
export function endSessionsOf(door: Door, caller: UserCaller, id: number): Promise<"ended" | "gone"> {
  return door.change(caller, "account.end-sessions", async (tx, notes) => {
    if ((await store.lockAccount(tx, id)) === undefined) {
      notes.nothingChanged()
      return "gone"
    }
    // No session has two users, so for another account these are all.
    await endOtherSessions(tx, id, caller.sessionId ?? 0)
    await endWaitingSignIns(tx, id)
    await forgetApprovals(tx, id)
    notes.about({ userId: id })
    return "ended"
  })
}

/** Whether the account is the only administrator who can log in. */
export async function isLastAdministrator(db: Reader, id: number): Promise<boolean> {
  const admins = await store.activeAdmins(db, 2)
  return admins.length === 1 && admins[0]?.id === id
}

/** Whether there would be no administrator who can log in without this one. */
export function isLastAdmin(account: store.UserRow, locked: store.UserRow[]): boolean {
  const isActiveAdmin = ({ isAdmin, disabledAt }: store.UserRow) => isAdmin === 1 && disabledAt === null
  return isActiveAdmin(account) && locked.filter(isActiveAdmin).length === 1
}
