import { sentences } from "@envkeep/contract"
import type { Db } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import type { Visitor } from "../caller.ts"
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
  /** A browser from which the account's owner has logged in before. */
  loginDevice: { max: 10, window: 15 * minute },
  oldPassword: { max: 10, window: 15 * minute },
  register: { max: 100, window: 60 * minute },
  newEmail: { max: 100, window: 60 * minute },
} satisfies Record<string, Limit>

type LimitName = keyof typeof limits
type Kind = LimitName | "knownDevice"

/** How often each limit has refused somebody; kept beside the database, so that rules need not hand it from call to call. */
const refusedOn = new WeakMap<Db, Map<LimitName, number>>()

/** What a login was counted against, to be taken back when it succeeds. */
export interface CountedLogin {
  knownDevice: boolean
  device: string
  address: string
}

/**
 * Counts a login before the password is looked at, so that many at once cannot slip past the limit. A browser from which
 * the owner has logged in before is counted by itself: whatever strangers do, from wherever, cannot lock the owner out
 * there, not even from the same address.
 */
export async function countLogin(db: Db, { address, device }: Visitor, account: string): Promise<CountedLogin> {
  const knownDevice = device !== "" && (await store.isRunning(db, knownDeviceBucket(device, account), Date.now()))
  if (knownDevice) {
    await count(db, "loginDevice", `${device} ${account}`)
  } else {
    await count(db, "loginAddress", address)
    await count(db, "loginPair", `${address} ${account}`)
    await count(db, "loginAccount", account)
  }
  return { knownDevice, device, address }
}

/** Only failures stay counted. */
export async function loginSucceeded(db: Db, counted: CountedLogin, account: string): Promise<void> {
  const { knownDevice, device, address } = counted
  if (knownDevice) {
    await store.forget(db, [bucket("loginDevice", `${device} ${account}`)])
  } else {
    await store.takeOneBack(db, bucket("loginAddress", address))
    await store.takeOneBack(db, bucket("loginAccount", account))
    await store.forget(db, [bucket("loginPair", `${address} ${account}`)])
  }
}

/**
 * What a browser is to show at the account's next login. Always a new token: one that somebody else planted in the browser
 * never becomes known.
 */
export async function knowDevice(db: Db, account: string): Promise<string> {
  const device = newSessionToken()
  const now = Date.now()
  const resetsAt = now + 90 * day
  await store.countOne(db, knownDeviceBucket(device, account), { now, resetsAt, latest: resetsAt })
  return device
}

export function countRegistration(db: Db, address: string): Promise<void> {
  return count(db, "register", address)
}

export function countNewEmail(db: Db, userId: number): Promise<void> {
  return count(db, "newEmail", String(userId))
}

/** By session: who has stolen one cannot keep the owner from changing the password in another. */
export function countOldPassword(db: Db, sessionId: number): Promise<void> {
  return count(db, "oldPassword", String(sessionId))
}

export function oldPasswordSucceeded(db: Db, sessionId: number): Promise<void> {
  return store.forget(db, [bucket("oldPassword", String(sessionId))])
}

export function forgetExpiredAttempts(db: Db): Promise<void> {
  return store.forgetExpired(db, Date.now())
}

/** How many attempts of all kinds the store holds at this moment. */
export function keptAttempts(db: Db): Promise<number> {
  return store.countAll(db)
}

export function refusalsByLimit(db: Db): Record<LimitName, number> {
  const refused = refusedOn.get(db)
  const names = Object.keys(limits) as LimitName[]
  return Object.fromEntries(names.map((name) => [name, refused?.get(name) ?? 0])) as Record<LimitName, number>
}

async function count(db: Db, kind: LimitName, who: string): Promise<void> {
  const { max, window } = limits[kind]
  const now = Date.now()
  // A second window is left to nodes whose clocks differ: they must not begin each other's buckets anew.
  const times = { now, resetsAt: now + window, latest: now + 2 * window }
  const attempts = await store.countOne(db, bucket(kind, who), times)
  if (attempts.count <= max) return
  noteRefusal(db, kind)
  const seconds = Math.max(1, Math.ceil((attempts.resetsAt - now) / 1000))
  throw new AppError("too_many", sentences.tooManyAttempts(Math.ceil(seconds / 60)), seconds)
}

function noteRefusal(db: Db, kind: LimitName): void {
  const refused = refusedOn.get(db) ?? new Map<LimitName, number>()
  refusedOn.set(db, refused.set(kind, (refused.get(kind) ?? 0) + 1))
}

function knownDeviceBucket(device: string, account: string): string {
  return bucket("knownDevice", `${device} ${account}`)
}

/** Hashed, so that the table is no list of who tried to log in from where. */
function bucket(kind: Kind, who: string): string {
  return hashToken(`${kind} ${who}`)
}
