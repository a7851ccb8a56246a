import {
  type InputOf,
  limits,
  type RegistrationMode,
  type StorageUse,
  sentences,
  type User,
  type users,
} from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import { type Caller, sessionOf, theServer, type UserCaller, type Visitor } from "../../access/caller.ts"
import { emailKey } from "../../access/email-key.ts"
import type { Core, Door } from "../../db/core.ts"
import type { Reader } from "../../db/schema.ts"
import { AppError, invalid, notFound, unlessTaken } from "../../errors.ts"
import { hashPassword, isOutdated, passwordMatches } from "../../keys/password.ts"
import { acceptWithin, checkInvitation } from "../invitations/rules.ts"
import type { Refusals } from "./refusals.ts"
import { beginSession } from "./sessions.ts"
import * as store from "./store.ts"

export async function currentUser(core: Core, caller: Visitor): Promise<User | null> {
  const row = caller.kind === "user" ? await store.userById(core.db, caller.userId) : undefined
  return row ? publicUser(row) : null
}

/** With an invitation, the account is made and the invitation accepted, or neither. */
export async function register(
  core: Core,
  mode: RegistrationMode,
  caller: Visitor,
  { username, email, password, invitation }: InputOf<typeof users.register>,
): Promise<{ user: User; device: string }> {
  if (mode === "closed") throw new AppError("forbidden", sentences.registrationClosed)
  if (mode === "invited" && invitation === undefined) throw new AppError("forbidden", sentences.registrationInvited)
  await attempts.countRegistration(core, caller.address)
  // First, because without a valid one, a visitor must not learn whether an e-mail is taken.
  if (invitation !== undefined) await checkInvitation(core, caller, { secret: invitation })
  const passwordHash = await hashPassword(password, caller.address)
  const row = { username, email, emailKey: emailKey(email), passwordHash, isAdmin: false }
  return unlessTaken(sentences.emailTaken, () =>
    core.change(caller, "account.create", async (tx, notes) => {
      const user = publicUser(await store.insertUser(tx, row))
      notes.about({ userId: user.id })
      if (invitation !== undefined) {
        const { subject } = await acceptWithin(tx, notes, { secret: invitation, userId: user.id, isNewAccount: true })
        notes.also("invitation.accept", subject)
      }
      return { user, device: await attempts.rememberDevice(tx, row.emailKey) }
    }),
  )
}

/** A wrong password and an unknown e-mail get the same answer and cost the same work. */
export async function login(
  core: Core,
  refusals: Refusals,
  caller: Visitor,
  { email, password }: InputOf<typeof users.login>,
): Promise<{ user: User; token: string; device: string }> {
  const account = emailKey(email)
  const counted = await attempts.countLogin(core, caller, account).catch((error: unknown) => {
    if (error instanceof AppError) refusals.note(caller)
    throw error
  })
  const stored = await store.userByEmail(core.db, account)
  const matches = await passwordMatches(stored?.passwordHash, password, caller.address)
  if (stored === undefined || !matches || stored.disabledAt !== null) refusals.note(caller, stored)
  if (stored === undefined || !matches) throw new AppError("unauthenticated", sentences.invalidCredentials)
  // Only with the right password: a guess does not tell which accounts there are.
  if (stored.disabledAt !== null) throw new AppError("forbidden", sentences.accountDisabled)

  const checkedHash = await upToDateHash(core, caller, { stored, password })
  const token = await beginSession(core, caller, { userId: stored.id, checkedHash })
  if (token === undefined) throw new AppError("unauthenticated", sentences.invalidCredentials)
  const device = await core.bookkeep(async (tx) => {
    await attempts.loginSucceeded(tx, counted, account)
    return attempts.rememberDevice(tx, account)
  })
  return { user: publicUser(stored), token, device }
}

/** Replaces a hash with weaker parameters: only at a login is the password known. */
async function upToDateHash(
  core: Core,
  caller: Visitor,
  { stored, password }: { stored: store.StoredUser; password: string },
): Promise<string> {
  const { id, passwordHash: checkedHash } = stored
  if (!isOutdated(checkedHash)) return checkedHash
  const passwordHash = await hashPassword(password, caller.address)
  const replaced = await core.bookkeep((tx) => store.replacePasswordHash(tx, id, { checkedHash, passwordHash }))
  return replaced === undefined ? checkedHash : passwordHash
}

export async function logout(core: Core, caller: UserCaller): Promise<void> {
  await core.change(caller, "session.end", (tx) => store.endSession(tx, caller.userId, sessionOf(caller)))
}

export async function updateUser(
  core: Core,
  caller: UserCaller,
  { username, email }: InputOf<typeof users.update>,
): Promise<User> {
  const current = await store.userById(core.db, caller.userId)
  // Like registering, this call reveals whether an e-mail is taken, so it has the same limit.
  if (current !== undefined && emailKey(current.email) !== emailKey(email)) {
    await attempts.countNewEmail(core, caller.userId)
  }
  return unlessTaken(sentences.emailTaken, () =>
    core.change(caller, "account.update", async (tx, notes) => {
      const row = await store.updateUser(tx, caller.userId, { username, email, emailKey: emailKey(email) })
      if (row === undefined) throw notFound("User")
      notes.about({ userId: row.id })
      return publicUser(row)
    }),
  )
}

/** Sets a new password and signs the caller out everywhere else: stolen sessions and links die with the old password. */
export async function changePassword(
  core: Core,
  caller: UserCaller,
  { oldPassword, password }: InputOf<typeof users.changePassword>,
): Promise<void> {
  const checkedHash = await checkPassword(core, caller, oldPassword)
  if (checkedHash === undefined) throw invalid(sentences.oldPasswordWrong)

  const passwordHash = await hashPassword(password, hashingCaller(caller)) // slow on purpose: keep it outside the transaction
  await core.change(caller, "account.password", async (tx, notes) => {
    const changed = await store.replacePasswordHash(tx, caller.userId, { checkedHash, passwordHash })
    if (changed === undefined) throw invalid(sentences.oldPasswordWrong)
    await store.endOtherSessions(tx, caller.userId, sessionOf(caller))
    await store.deleteResetOf(tx, caller.userId)
    notes.about({ userId: caller.userId })
  })
}

/** The hash of the caller's password, or undefined if this is not the password. Guesses are counted. */
export async function checkPassword(core: Core, caller: UserCaller, password: string): Promise<string | undefined> {
  const sessionId = sessionOf(caller)
  await attempts.countOldPassword(core, sessionId)
  const hash = await store.passwordHashOf(core.db, caller.userId)
  if (!(await passwordMatches(hash, password, hashingCaller(caller)))) return undefined
  await core.bookkeep((tx) => attempts.oldPasswordSucceeded(tx, sessionId))
  return hash
}

function hashingCaller({ userId }: UserCaller): string {
  return `user ${userId}`
}

/** Creates the account that the settings ask for. An existing account with that e-mail is not touched. */
export async function createAdminUnlessTaken(
  core: Core,
  { email, password }: { email: string; password: string },
): Promise<"created" | "already admin" | "taken"> {
  const username = email.slice(0, email.indexOf("@")).slice(0, limits.username)
  if ((await store.userByEmail(core.db, emailKey(email))) === undefined) {
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
    await store.endAllSessions(tx, id)
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

/** Signs the account out everywhere, but not the caller's own session. */
export function endSessionsOf(door: Door, caller: UserCaller, id: number): Promise<"ended" | "gone"> {
  return door.change(caller, "account.end-sessions", async (tx, notes) => {
    if ((await store.lockAccount(tx, id)) === undefined) {
      notes.nothingChanged()
      return "gone"
    }
    // No session has two users, so for another account these are all.
    await store.endOtherSessions(tx, id, caller.sessionId ?? 0)
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

export async function storageOf(core: Core, caller: UserCaller): Promise<StorageUse> {
  const storedBytes = await store.storedBytesOf(core.db, caller.userId)
  return { usedBytes: Math.max(0, storedBytes), quotaBytes: core.quotaBytes ?? null }
}

function publicUser({ id, username, email, isAdmin }: store.UserRow): User {
  return { id, username, email, isAdmin: isAdmin === 1 }
}
