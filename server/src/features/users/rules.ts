import {
  type InputOf,
  type RegistrationMode,
  type SecondFactorMode,
  type StorageUse,
  sentences,
  type User,
  type users,
} from "@envkeep/contract"
import { deleteLinksOf } from "../../access/account-links.ts"
import * as attempts from "../../access/attempts/rules.ts"
import { sessionOf, type UserCaller, type Visitor } from "../../access/caller.ts"
import { emailKey } from "../../access/email-key.ts"
import { endOtherSessions, endSession } from "../../access/end-sessions.ts"
import { requiresFactor } from "../../access/factor-policy.ts"
import type { Site } from "../../access/site.ts"
import type { Core } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError, invalid, notFound, unlessTaken } from "../../errors.ts"
import { hashPassword, isOutdated, noPassword, passwordMatches } from "../../keys/password.ts"
import { originOf } from "../../mail/notices.ts"
import { forgetApprovals } from "../cli-logins/end.ts"
import { acceptWithin, checkInvitation } from "../invitations/rules.ts"
import { refuseUnconfirmed } from "../second-factors/confirm.ts"
import { beginPending, factorsOf, hasFactor, type Pending } from "../second-factors/pending.ts"
import { refuseCommonPassword } from "./common-passwords.ts"
import type { Refusals } from "./refusals.ts"
import { beginSession, confirmSession } from "./sessions/rules.ts"
import * as store from "./store.ts"

export async function currentUser(core: Core, caller: Visitor): Promise<User | null> {
  const row = caller.kind === "user" ? await store.userById(core.db, caller.userId) : undefined
  if (row === undefined || caller.kind !== "user") return null
  return withNeed(publicUser(row), caller.lacksFactor)
}

/** Said only if it is so: few servers require a second factor. */
function withNeed(user: User, needsSecondFactor: boolean): User {
  return needsSecondFactor ? { ...user, needsSecondFactor: true } : user
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
  await refuseCommonPassword(password, { username, email })
  const passwordHash = await hashPassword(password, caller.address)
  return createAccount(core, caller, { username, email, passwordHash, invitation })
}

/** The account of someone who may have one, and a token of the browser that they use. */
export function createAccount(
  core: Core,
  caller: Visitor,
  { username, email, passwordHash, invitation }: NewAccount,
): Promise<{ user: User; device: string }> {
  const row = { username, email, emailKey: emailKey(email), passwordHash, isAdmin: false }
  return unlessTaken(sentences.emailTaken, () =>
    core.change(caller, "account.create", async (tx, notes) => {
      const user = publicUser(await store.insertUser(tx, row))
      notes.about({ userId: user.id })
      if (invitation !== undefined) {
        const { subject } = await acceptWithin(tx, notes, { secret: invitation, userId: user.id, isNewAccount: true })
        notes.also("invitation.accept", subject)
      }
      return { user, device: await attempts.rememberDevice(tx, row) }
    }),
  )
}

interface NewAccount {
  username: string
  email: string
  passwordHash: string
  invitation?: string | undefined
}

interface LoggingIn {
  core: Core
  refusals: Refusals
  mode: SecondFactorMode
  site: Site
}

/** A login that is finished, or one that waits for its second factor. */
type Login = { user: User; token: string; device: string } | { pending: Pending }

/** A wrong password and an unknown e-mail get the same answer and cost the same work. */
export async function login(
  { core, refusals, mode, site }: LoggingIn,
  caller: Visitor,
  { email, password }: InputOf<typeof users.login>,
): Promise<Login> {
  const account = emailKey(email)
  const stored = await store.userByEmail(core.db, account)
  const { passwordHash } = stored ?? {}
  const counted = await attempts.countLogin(core, caller, { account, passwordHash }).catch((error: unknown) => {
    if (error instanceof AppError) refusals.note(caller)
    throw error
  })
  const matches = await passwordMatches(passwordHash, password, caller.address)
  if (stored === undefined || !matches || stored.disabledAt !== null) refusals.note(caller, stored)
  if (stored === undefined || !matches) throw new AppError("unauthenticated", sentences.invalidCredentials)
  // Only with the right password: a guess does not tell which accounts there are.
  if (stored.disabledAt !== null) throw new AppError("forbidden", sentences.accountDisabled)

  const checkedHash = await upToDateHash(core, caller, { stored, password })
  const factors = await factorsOf(core.db, stored.id)
  const takeBack = (tx: Tx) => attempts.loginSucceeded(tx, counted, account)
  if (hasFactor(factors)) {
    const login = { userId: stored.id, checkedHash, factors, site, within: takeBack }
    return { pending: await beginPending(core, caller, login) }
  }
  const session = await beginSession(core, caller, {
    userId: stored.id,
    checkedHash,
    async within(tx) {
      await refuseNewFactor(tx, stored.id)
      await takeBack(tx)
    },
  })
  if (session === undefined) throw new AppError("unauthenticated", sentences.invalidCredentials)
  return { user: withNeed(publicUser(stored), requiresFactor(mode, stored.isAdmin === 1)), ...session }
}

/** One that was set up since the login began: without it, this would be a session that has shown none. */
async function refuseNewFactor(tx: Tx, userId: number): Promise<void> {
  if (hasFactor(await factorsOf(tx, userId))) throw new AppError("unauthenticated", sentences.signInExpired)
}

/** For the second step of a login: the account, or an end of the login if it was deleted since. */
export async function accountOf(
  { db }: Core,
  userId: number,
): Promise<{ id: number; username: string; emailKey: string; isDisabled: boolean; user: User }> {
  const row = await store.userById(db, userId)
  if (row === undefined) throw new AppError("unauthenticated", sentences.signInExpired)
  const { id, username, email, disabledAt } = row
  return { id, username, emailKey: emailKey(email), isDisabled: disabledAt !== null, user: publicUser(row) }
}

/** A login that is finished, or one that waits for its second factor. Undefined if the account is gone. */
type ProviderLogin = { token: string; device: string } | { pending: Pending } | undefined

interface ProvenByProvider {
  userId: number
  isTwoFactors: boolean
  confirmedAt: number
  /** Throws if the provider may no longer sign this user in. */
  within: (tx: Tx) => Promise<void>
}

/** For a login that a sign-in provider has checked, with two factors or with one. */
export async function loginByProvider(
  { core, refusals, site }: Omit<LoggingIn, "mode">,
  caller: Visitor,
  { userId, isTwoFactors, confirmedAt, within }: ProvenByProvider,
): Promise<ProviderLogin> {
  const account = await store.userById(core.db, userId)
  const checkedHash = await store.passwordHashOf(core.db, userId)
  if (account === undefined || checkedHash === undefined) return undefined
  if (account.disabledAt !== null) {
    refusals.note(caller, account)
    throw new AppError("forbidden", sentences.accountDisabled)
  }
  const factors = await factorsOf(core.db, userId)
  // The hash is the current one: if the password is changed before the session begins, someone else may have come in.
  if (hasFactor(factors) && !isTwoFactors) {
    return { pending: await beginPending(core, caller, { userId, checkedHash, factors, site, within }) }
  }
  return beginSession(core, caller, {
    userId,
    checkedHash,
    hasProviderFactor: isTwoFactors,
    hasShownFactor: isTwoFactors,
    confirmedAt,
    async within(tx) {
      await within(tx)
      if (!isTwoFactors) await refuseNewFactor(tx, userId)
    },
  })
}

/** An account without a password, within a change. Its owner signs in at a provider. */
export async function insertAccount(
  tx: Tx,
  { username, email }: { username: string; email: string },
): Promise<{ id: number }> {
  const row = { username, email, emailKey: emailKey(email), passwordHash: noPassword, isAdmin: false }
  return store.insertUser(tx, row)
}

/** Locks the account: of two changes to how its owner signs in, the second sees the first. */
export async function lockForSignIn(tx: Tx, userId: number): Promise<void> {
  if ((await store.lockAccount(tx, userId)) === undefined) throw notFound("User")
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
  await core.change(caller, "session.end", (tx) => endSession(tx, caller.userId, sessionOf(caller)))
}

export async function updateUser(
  { core, site }: Pick<LoggingIn, "core" | "site">,
  caller: UserCaller,
  { username, email }: InputOf<typeof users.update>,
): Promise<User> {
  const current = await store.userById(core.db, caller.userId)
  if (current === undefined) throw notFound("User")
  const isNewEmail = emailKey(current.email) !== emailKey(email)
  // Like registering, this call reveals whether an e-mail is taken, so it has the same limit.
  if (isNewEmail) {
    await refuseUnconfirmed(core, caller, site)
    await attempts.countNewEmail(core, caller.userId)
  }
  const updated = await unlessTaken(sentences.emailTaken, () =>
    core.change(caller, "account.update", async (tx, notes) => {
      const locked = await store.lockAccount(tx, caller.userId)
      // The email was changed since it was compared. This one may be the former, and bringing that back is a change too.
      if (locked === undefined || emailKey(locked.email) !== emailKey(current.email)) {
        notes.nothingChanged()
        return undefined
      }
      const row = await store.updateUser(tx, caller.userId, { username, email, emailKey: emailKey(email) })
      if (row === undefined) throw notFound("User")
      notes.about({ userId: row.id, username })
      if (isNewEmail) {
        // One may have been sent to the former address.
        await deleteLinksOf(tx, "reset", caller.userId)
        await attempts.keepDevice(tx, caller, { emailKey: emailKey(current.email) })
        await sayEmailChanged(core, tx, caller, current)
      }
      return publicUser(row)
    }),
  )
  return updated ?? updateUser({ core, site }, caller, { username, email })
}

/** To the former address: only there can its owner learn that it was someone else. */
async function sayEmailChanged(
  { mail }: Core,
  tx: Tx,
  caller: UserCaller,
  { id: userId, email }: store.UserRow,
): Promise<void> {
  await mail?.notify(tx, { userId, email }, { kind: "email", params: { from: originOf(caller) } })
}

/** Sets a new password and signs the caller out everywhere else: stolen sessions and links die with the old password. */
export async function changePassword(
  confirming: Confirming,
  caller: UserCaller,
  { oldPassword, password }: InputOf<typeof users.changePassword>,
): Promise<void> {
  const { core } = confirming
  const checkedHash = await checkPassword(confirming, caller, oldPassword)
  if (checkedHash === undefined) throw invalid(sentences.oldPasswordWrong)
  const account = await store.userById(core.db, caller.userId)
  await refuseCommonPassword(password, account)

  const passwordHash = await hashPassword(password, hashingCaller(caller)) // slow on purpose: keep it outside the transaction
  await core.change(caller, "account.password", async (tx, notes) => {
    const { userId } = caller
    const changed = await store.replacePasswordHash(tx, userId, { checkedHash, passwordHash })
    if (changed === undefined || account === undefined) throw invalid(sentences.oldPasswordWrong)
    await endOtherSessions(tx, userId, sessionOf(caller))
    await deleteLinksOf(tx, "reset", userId)
    await forgetApprovals(tx, userId)
    notes.about({ userId })
    await attempts.keepDevice(tx, caller, { passwordHash: checkedHash })
  })
}

/** What a check of the caller's own password needs. */
export type Confirming = Pick<LoggingIn, "core" | "refusals">

/**
 * The hash of the caller's password, or undefined if this is not the password. Guesses are counted, and the account's owner
 * sees them: the session may be stolen.
 */
export async function checkPassword(
  { core, refusals }: Confirming,
  caller: UserCaller,
  password: string,
): Promise<string | undefined> {
  const sessionId = sessionOf(caller)
  const account = await store.userById(core.db, caller.userId)
  const refuse = () => refusals.note(caller, account, "session.refuse-confirm")
  await attempts.countOldPassword(core, sessionId).catch((error: unknown) => {
    if (error instanceof AppError) refuse()
    throw error
  })
  const hash = await store.passwordHashOf(core.db, caller.userId)
  if (!(await passwordMatches(hash, password, hashingCaller(caller)))) {
    refuse()
    return undefined
  }
  await core.bookkeep((tx) => attempts.oldPasswordSucceeded(tx, sessionId))
  return hash
}

/** For some minutes, the session can make calls that ask for a confirmation. */
export async function confirm(
  confirming: Confirming,
  caller: UserCaller,
  { password }: InputOf<typeof users.confirm>,
): Promise<null> {
  if ((await checkPassword(confirming, caller, password)) === undefined) throw invalid(sentences.passwordWrong)
  await confirmSession(confirming.core, caller)
  return null
}

function hashingCaller({ userId }: UserCaller): string {
  return `user ${userId}`
}

export async function storageOf(core: Core, caller: UserCaller): Promise<StorageUse> {
  const storedBytes = await store.storedBytesOf(core.db, caller.userId)
  return { usedBytes: Math.max(0, storedBytes), quotaBytes: core.quotaBytes ?? null }
}

function publicUser({ id, username, email, isAdmin }: store.UserRow): User {
  return { id, username, email, isAdmin: isAdmin === 1 }
}
