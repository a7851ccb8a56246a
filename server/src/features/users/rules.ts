import { type InputOf, limits, sentences, type User, type users } from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import type { UserCaller, Visitor } from "../../access/caller.ts"
import type { Db } from "../../db/schema.ts"
import { inTransaction } from "../../db/transaction.ts"
import { AppError, invalid, notFound, unlessTaken } from "../../errors.ts"
import { hashPassword, isOutdated, passwordMatches } from "../../keys/password.ts"
import { beginSession } from "./sessions.ts"
import * as store from "./store.ts"

export async function currentUser(db: Db, { user }: Visitor): Promise<User | null> {
  const row = user && (await store.userById(db, user.userId))
  return row ? publicUser(row) : null
}

export async function register(
  db: Db,
  { address }: Visitor,
  { username, email, password }: InputOf<typeof users.register>,
): Promise<{ user: User; device: string }> {
  await attempts.countRegistration(db, address)
  const row = await newUser({ username, email, password, isAdmin: false })
  return unlessTaken(sentences.emailTaken, () =>
    inTransaction(db, async (tx) => {
      const user = publicUser(await store.insertUser(tx, row))
      return { user, device: await attempts.knowDevice(tx, row.emailKey) }
    }),
  )
}

/** The same answer and the same work for a wrong password and for an unknown e-mail. */
export async function login(
  db: Db,
  visitor: Visitor,
  { email, password }: InputOf<typeof users.login>,
): Promise<{ user: User; token: string; device: string }> {
  const account = emailKey(email)
  const counted = await attempts.countLogin(db, visitor, account)
  const stored = await store.userByEmail(db, account)
  const matches = await passwordMatches(stored?.passwordHash, password)
  if (stored === undefined || !matches) throw new AppError("unauthenticated", sentences.invalidCredentials)

  const checkedHash = await upToDateHash(db, stored, password)
  const token = await beginSession(db, { userId: stored.id, checkedHash }, visitor.user)
  if (token === undefined) throw new AppError("unauthenticated", sentences.invalidCredentials)
  await attempts.loginSucceeded(db, counted, account)
  return { user: publicUser(stored), token, device: await attempts.knowDevice(db, account) }
}

/** Makes a hash of weaker parameters anew while the password is at hand. */
async function upToDateHash(
  db: Db,
  { id, passwordHash: checked }: store.StoredUser,
  password: string,
): Promise<string> {
  if (!isOutdated(checked)) return checked
  const passwordHash = await hashPassword(password)
  return (await store.replacePasswordHash(db, id, { checked, passwordHash })) === undefined ? checked : passwordHash
}

export function logout(db: Db, caller: UserCaller): Promise<void> {
  return inTransaction(db, (tx) => store.endSession(tx, caller.userId, caller.sessionId))
}

export async function updateUser(
  db: Db,
  caller: UserCaller,
  { username, email }: InputOf<typeof users.update>,
): Promise<User> {
  const current = await store.userById(db, caller.userId)
  // Whether an e-mail is taken can be learnt here as well as by registering, so it cannot be asked without end either.
  if (current !== undefined && emailKey(current.email) !== emailKey(email)) {
    await attempts.countNewEmail(db, caller.userId)
  }
  const row = await unlessTaken(sentences.emailTaken, () =>
    inTransaction(db, (tx) => store.updateUser(tx, caller.userId, { username, email, emailKey: emailKey(email) })),
  )
  if (row === undefined) throw notFound("User")
  return publicUser(row)
}

/** Sets a new password and signs the caller out everywhere else, so a stolen session dies with the old password. */
export async function changePassword(
  db: Db,
  caller: UserCaller,
  { oldPassword, password }: InputOf<typeof users.changePassword>,
): Promise<void> {
  await attempts.countOldPassword(db, caller.sessionId)
  const checked = await store.passwordHashOf(db, caller.userId)
  const matches = await passwordMatches(checked, oldPassword)
  if (checked === undefined || !matches) throw invalid(sentences.oldPasswordWrong)
  await attempts.oldPasswordSucceeded(db, caller.sessionId)

  const passwordHash = await hashPassword(password) // slow on purpose: keep it outside the transaction
  await inTransaction(db, async (tx) => {
    const changed = await store.replacePasswordHash(tx, caller.userId, { checked, passwordHash })
    if (changed === undefined) throw invalid(sentences.oldPasswordWrong)
    await store.endOtherSessions(tx, caller.userId, caller.sessionId)
  })
}

/** Creates the account of a trusted setting. An account that somebody already has with that e-mail is not touched. */
export async function createAdminUnlessTaken(
  db: Db,
  { email, password }: { email: string; password: string },
): Promise<"created" | "already admin" | "taken"> {
  const username = email.slice(0, email.indexOf("@")).slice(0, limits.username)
  if ((await store.userByEmail(db, emailKey(email))) === undefined) {
    try {
      const row = await newUser({ username, email, password, isAdmin: true })
      await unlessTaken(sentences.emailTaken, () => store.insertUser(db, row))
      return "created"
    } catch (error) {
      // Another node that starts at the same moment was faster.
      if (!(error instanceof AppError && error.code === "conflict")) throw error
    }
  }
  return (await store.userByEmail(db, emailKey(email)))?.isAdmin === 1 ? "already admin" : "taken"
}

export function emailKey(email: string): string {
  // The one letter with two lower cases would make two accounts of one address.
  return email.normalize("NFC").toLowerCase().replaceAll("ς", "σ")
}

async function newUser({
  username,
  email,
  password,
  isAdmin,
}: {
  username: string
  email: string
  password: string
  isAdmin: boolean
}) {
  return { username, email, emailKey: emailKey(email), passwordHash: await hashPassword(password), isAdmin }
}

function publicUser({ id, username, email, isAdmin }: store.UserRow): User {
  return { id, username, email, isAdmin: isAdmin === 1 }
}
