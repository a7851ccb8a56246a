import { type InputOf, limits, sentences, type User, type users } from "@envkeep/contract"
import type { UserCaller, Visitor } from "../../caller.ts"
import { hashPassword, isOutdated, passwordMatches } from "../../crypto/password.ts"
import type { Db } from "../../db/schema.ts"
import { inTransaction } from "../../db/transaction.ts"
import { AppError, invalid, notFound, unlessTaken } from "../../errors.ts"
import * as attempts from "../attempts/rules.ts"
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
): Promise<User> {
  await attempts.countRegistration(db, address)
  return publicUser(await createUser(db, { username, email, password, isAdmin: false }))
}

/** The same answer and the same work for a wrong password and for an unknown e-mail. */
export async function login(
  db: Db,
  visitor: Visitor,
  { email, password }: InputOf<typeof users.login>,
): Promise<{ user: User; token: string }> {
  const account = emailKey(email)
  await attempts.countLogin(db, visitor.address, account)
  const stored = await store.userByEmail(db, account)
  const matches = await passwordMatches(stored?.passwordHash, password)
  if (stored === undefined || !matches) throw new AppError("unauthenticated", sentences.invalidCredentials)

  await attempts.loginSucceeded(db, visitor.address, account)
  if (isOutdated(stored.passwordHash)) await store.setPasswordHash(db, stored.id, await hashPassword(password))
  return { user: publicUser(stored), token: await beginSession(db, stored.id, visitor.user) }
}

export function logout(db: Db, caller: UserCaller): Promise<void> {
  return store.endSession(db, caller.userId, caller.sessionId)
}

export async function updateUser(
  db: Db,
  caller: UserCaller,
  { username, email }: InputOf<typeof users.update>,
): Promise<User> {
  const row = await unlessTaken(sentences.emailTaken, () =>
    store.updateUser(db, caller.userId, { username, email, emailKey: emailKey(email) }),
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
  await attempts.countOldPassword(db, caller.userId)
  const stored = await store.passwordHashOf(db, caller.userId)
  if (!(await passwordMatches(stored, oldPassword))) throw invalid(sentences.oldPasswordWrong)
  await attempts.oldPasswordSucceeded(db, caller.userId)

  const passwordHash = await hashPassword(password) // slow on purpose: keep it outside the transaction
  await inTransaction(db, async (tx) => {
    await store.setPasswordHash(tx, caller.userId, passwordHash)
    await store.endOtherSessions(tx, caller.userId, caller.sessionId)
  })
}

/** Creates the account of a trusted setting; does nothing when somebody already has the e-mail. */
export async function createAdminUnlessTaken(db: Db, email: string, password: string): Promise<"created" | "taken"> {
  if (await store.userByEmail(db, emailKey(email))) return "taken"
  const username = email.slice(0, email.indexOf("@")).slice(0, limits.username)
  try {
    await createUser(db, { username, email, password, isAdmin: true })
    return "created"
  } catch (error) {
    // Another node that starts at the same moment was faster.
    if (error instanceof AppError && error.code === "conflict") return "taken"
    throw error
  }
}

export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase()
}

async function createUser(
  db: Db,
  { username, email, password, isAdmin }: { username: string; email: string; password: string; isAdmin: boolean },
): Promise<store.UserRow> {
  const passwordHash = await hashPassword(password)
  return unlessTaken(sentences.emailTaken, () =>
    store.insertUser(db, { username, email, emailKey: emailKey(email), passwordHash, isAdmin }),
  )
}

function publicUser({ id, username, email, isAdmin }: store.UserRow): User {
  return { id, username, email, isAdmin: isAdmin === 1 }
}
