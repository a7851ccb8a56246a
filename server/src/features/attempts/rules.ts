import { sentences } from "@envkeep/contract"
import { hashToken } from "../../crypto/token.ts"
import type { Db } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import * as store from "./store.ts"

const minute = 60_000
const day = 24 * 60 * minute

interface Limit {
  max: number
  window: number
}

const limits = {
  /** One address guessing at many accounts. */
  loginAddress: { max: 100, window: 15 * minute },
  /** One address guessing at one account. */
  loginPair: { max: 10, window: 15 * minute },
  /** Many addresses guessing at one account. */
  loginAccount: { max: 100, window: 15 * minute },
  oldPassword: { max: 10, window: 15 * minute },
  register: { max: 100, window: 60 * minute },
} satisfies Record<string, Limit>

type Kind = keyof typeof limits | "knownAddress"

/**
 * Counts a login before the password is looked at, so that many at once cannot slip past the limit. Once an account's
 * owner has logged in from an address, guesses made elsewhere no longer count against that address: a stranger cannot
 * lock the owner out.
 */
export async function countLogin(db: Db, address: string, account: string): Promise<void> {
  await count(db, "loginAddress", address)
  await count(db, "loginPair", `${address} ${account}`)
  const known = await store.isRunning(db, bucket("knownAddress", `${address} ${account}`), Date.now())
  if (!known) await count(db, "loginAccount", account)
}

/** Only failures stay counted. */
export async function loginSucceeded(db: Db, address: string, account: string): Promise<void> {
  await store.takeOneBack(db, bucket("loginAddress", address))
  await store.forget(db, [bucket("loginPair", `${address} ${account}`), bucket("loginAccount", account)])
  const now = Date.now()
  const known = bucket("knownAddress", `${address} ${account}`)
  await store.forget(db, [known])
  await store.countOne(db, known, { now, resetsAt: now + 90 * day })
}

export function countRegistration(db: Db, address: string): Promise<void> {
  return count(db, "register", address)
}

export function countOldPassword(db: Db, userId: number): Promise<void> {
  return count(db, "oldPassword", String(userId))
}

export function oldPasswordSucceeded(db: Db, userId: number): Promise<void> {
  return store.forget(db, [bucket("oldPassword", String(userId))])
}

export function forgetExpiredAttempts(db: Db): Promise<void> {
  return store.forgetExpired(db, Date.now())
}

async function count(db: Db, kind: keyof typeof limits, who: string): Promise<void> {
  const { max, window } = limits[kind]
  const now = Date.now()
  const attempts = await store.countOne(db, bucket(kind, who), { now, resetsAt: now + window })
  if (attempts.count <= max) return
  const seconds = Math.max(1, Math.ceil((attempts.resetsAt - now) / 1000))
  throw new AppError("too_many", sentences.tooManyAttempts(Math.ceil(seconds / 60)), seconds)
}

/** Hashed, so that the table is no list of who tried to log in from where. */
function bucket(kind: Kind, who: string): string {
  return hashToken(`${kind} ${who}`)
}
