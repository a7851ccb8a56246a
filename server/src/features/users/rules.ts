import { type InputOf, limits, type StorageUse, sentences, type User, type users } from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import { theServer, type UserCaller, type Visitor } from "../../access/caller.ts"
import type { Core, Door } from "../../db/core.ts"
import { AppError, invalid, notFound, unlessTaken } from "../../errors.ts"
import { hashPassword, isOutdated, passwordMatches } from "../../keys/password.ts"
import type { Refusals } from "./refusals.ts"
import { beginSession } from "./sessions.ts"
import * as store from "./store.ts"

export async function currentUser(core: Core, caller: Visitor): Promise<User | null> {
  const row = caller.kind === "user" ? await store.userById(core.db, caller.userId) : undefined
  return row ? publicUser(row) : null
}

export async function register(
  core: Core,
  caller: Visitor,
  { username, email, password }: InputOf<typeof users.register>,
): Promise<{ user: User; device: string }> {
  await attempts.countRegistration(core, caller.address)
  const passwordHash = await hashPassword(password, caller.address)
  const row = { username, email, emailKey: emailKey(email), passwordHash, isAdmin: false }
  return unlessTaken(sentences.emailTaken, () =>
    core.change(caller, "account.create", async (tx, notes) => {
      const user = publicUser(await store.insertUser(tx, row))
      notes.about({ userId: user.id })
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

export function logout(core: Core, caller: UserCaller): Promise<void> {
  return core.change(caller, "session.end", (tx) => store.endSession(tx, caller.userId, caller.sessionId))
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
  await attempts.countOldPassword(core, caller.sessionId)
  const checkedHash = await store.passwordHashOf(core.db, caller.userId)
  const hashingCaller = `user ${caller.userId}`
  const matches = await passwordMatches(checkedHash, oldPassword, hashingCaller)
  if (checkedHash === undefined || !matches) throw invalid(sentences.oldPasswordWrong)
  await core.bookkeep((tx) => attempts.oldPasswordSucceeded(tx, caller.sessionId))

  const passwordHash = await hashPassword(password, hashingCaller) // slow on purpose: keep it outside the transaction
  await core.change(caller, "account.password", async (tx, notes) => {
    const changed = await store.replacePasswordHash(tx, caller.userId, { checkedHash, passwordHash })
    if (changed === undefined) throw invalid(sentences.oldPasswordWrong)
    await store.endOtherSessions(tx, caller.userId, caller.sessionId)
    await store.deleteResetOf(tx, caller.userId)
    notes.about({ userId: caller.userId })
  })
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

/** Deletes an account with everything it owns. Its sessions and API keys are refused on every node from then on. */
export function deleteAccount(door: Door, id: number): Promise<"deleted" | "gone" | "last administrator"> {
  return door.change(theServer, "account.delete", async (tx, notes) => {
    await store.lockOwned(tx, id)
    const locked = await store.lockUserAndAdmins(tx, id)
    const account = locked.find((user) => user.id === id)
    if (account === undefined || isLastAdmin(account, locked)) {
      notes.nothingChanged()
      return account === undefined ? "gone" : "last administrator"
    }
    // Read under the lock: a collection that was made in the last moment is deleted too.
    for (const collectionId of await store.collectionIdsOf(tx, id)) notes.invalidate({ collectionId, ends: true })
    await store.deleteUser(tx, id)
    notes.about({ userId: id, username: account.username })
    return "deleted"
  })
}

/** Ends the account's sessions, and refuses its password and its API keys on every node from then on. */
export function disableAccount(
  door: Door,
  id: number,
): Promise<"disabled" | "disabled before" | "gone" | "last administrator"> {
  return door.change(theServer, "account.disable", async (tx, notes) => {
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
    for (const collectionId of await store.collectionIdsOf(tx, id)) notes.invalidate({ collectionId, ends: true })
    notes.about({ userId: id })
    return "disabled"
  })
}

/** The account's password and API keys work again. No node remembers a refused key, so none has to be notified. */
export function enableAccount(door: Door, id: number): Promise<"enabled" | "not disabled" | "gone"> {
  return door.change(theServer, "account.enable", async (tx, notes) => {
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

/** Whether there would be no administrator who can log in without this one. */
function isLastAdmin(account: store.UserRow, locked: store.UserRow[]): boolean {
  const isActiveAdmin = ({ isAdmin, disabledAt }: store.UserRow) => isAdmin === 1 && disabledAt === null
  return isActiveAdmin(account) && locked.filter(isActiveAdmin).length === 1
}

export async function storageOf(core: Core, caller: UserCaller): Promise<StorageUse> {
  const storedBytes = await store.storedBytesOf(core.db, caller.userId)
  return { usedBytes: Math.max(0, storedBytes), quotaBytes: core.quotaBytes ?? null }
}

export function emailKey(email: string): string {
  // Sigma is the only letter with two lower-case forms. Without this, one address could have two accounts.
  return email.normalize("NFC").toLowerCase().replaceAll("ς", "σ")
}

function publicUser({ id, username, email, isAdmin }: store.UserRow): User {
  return { id, username, email, isAdmin: isAdmin === 1 }
}
