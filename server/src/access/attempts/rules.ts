import { sentences } from "@envkeep/contract"
import type { Core } from "../../db/core.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import type { Visitor } from "../caller.ts"
import * as store from "./store.ts"

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

interface Limit {
  max: number
  windowMs: number
}

const limits = {
  /** One address guessing at many accounts. */
  loginAddress: { max: 100, windowMs: 15 * minuteMs },
  /** One address guessing at one account. */
  loginPair: { max: 10, windowMs: 15 * minuteMs },
  /** Many addresses guessing at one account. */
  loginAccount: { max: 100, windowMs: 15 * minuteMs },
  /** A browser in which the account's owner has logged in before. */
  loginDevice: { max: 10, windowMs: 15 * minuteMs },
  oldPassword: { max: 10, windowMs: 15 * minuteMs },
  /** One address guessing at reset links. */
  resetLink: { max: 100, windowMs: 15 * minuteMs },
  register: { max: 100, windowMs: 60 * minuteMs },
  newEmail: { max: 100, windowMs: 60 * minuteMs },
  /** One user looking for accounts. */
  lookUp: { max: 100, windowMs: 60 * minuteMs },
  /** One address beginning logins of the command, and one user guessing at the codes of others. */
  cliLogin: { max: 100, windowMs: 60 * minuteMs },
  cliCode: { max: 20, windowMs: 15 * minuteMs },
  /** One address guessing at invitations. A whole office may have one address. */
  invitation: { max: 300, windowMs: 15 * minuteMs },
} satisfies Record<string, Limit>

type LimitName = keyof typeof limits
type Kind = LimitName | "knownDevice"

/** What a login was counted against. If it succeeds, that is taken back. */
export interface CountedLogin {
  knownDevice: boolean
  device: string
  address: string
}

/**
 * Counts a login before the password is checked, so that parallel guesses cannot exceed the limit. A browser in which
 * the owner has logged in before is counted separately: there, no stranger can lock the owner out, not even from the
 * same address.
 */
export async function countLogin(core: Core, { address, device }: Visitor, account: string): Promise<CountedLogin> {
  const knownDevice = device !== "" && (await store.isActive(core.db, knownDeviceBucket(device, account), Date.now()))
  if (knownDevice) {
    await count(core, "loginDevice", `${device} ${account}`)
  } else {
    await count(core, "loginAddress", address)
    await count(core, "loginPair", `${address} ${account}`)
    await count(core, "loginAccount", account)
  }
  return { knownDevice, device, address }
}

/** Takes back what was counted, so that only failures count. */
export async function loginSucceeded(tx: Tx, counted: CountedLogin, account: string): Promise<void> {
  const { knownDevice, device, address } = counted
  if (knownDevice) {
    await store.deleteBucket(tx, bucket("loginDevice", `${device} ${account}`))
  } else {
    await store.subtractOne(tx, bucket("loginAddress", address))
    await store.subtractOne(tx, bucket("loginAccount", account))
    await store.deleteBucket(tx, bucket("loginPair", `${address} ${account}`))
  }
}

/** The token for this browser to send at the account's next login. Always new: a planted token never becomes known. */
export async function rememberDevice(tx: Tx, account: string): Promise<string> {
  const device = newSessionToken()
  const now = Date.now()
  const resetsAt = now + 90 * dayMs
  await store.addOne(tx, knownDeviceBucket(device, account), { now, resetsAt, maxResetsAt: resetsAt })
  return device
}

export function countRegistration(core: Core, address: string): Promise<void> {
  return count(core, "register", address)
}

export function countNewEmail(core: Core, userId: number): Promise<void> {
  return count(core, "newEmail", String(userId))
}

export function countLookUp(core: Core, userId: number): Promise<void> {
  return count(core, "lookUp", String(userId))
}

export function countInvitation(core: Core, address: string): Promise<void> {
  return count(core, "invitation", address)
}

export function countCliLogin(core: Core, address: string): Promise<void> {
  return count(core, "cliLogin", address)
}

export function countCliCode(core: Core, userId: number): Promise<void> {
  return count(core, "cliCode", String(userId))
}

/** Takes back what was counted, so that only wrong codes count. */
export function cliCodeFound(core: Core, userId: number): Promise<void> {
  return core.bookkeep((tx) => store.subtractOne(tx, bucket("cliCode", String(userId))))
}

/** Counted by session: with a stolen session, a thief cannot stop the owner from changing the password in another. */
export function countOldPassword(core: Core, sessionId: number): Promise<void> {
  return count(core, "oldPassword", String(sessionId))
}

export function oldPasswordSucceeded(tx: Tx, sessionId: number): Promise<void> {
  return store.deleteBucket(tx, bucket("oldPassword", String(sessionId)))
}

export function countResetLink(core: Core, address: string): Promise<void> {
  return count(core, "resetLink", address)
}

export function purgeExpiredAttempts(core: Core): Promise<void> {
  return core.bookkeep((tx) => store.deleteExpired(tx, Date.now()))
}

/** How many rows count attempts right now. */
export function keptAttempts(db: Reader): Promise<number> {
  return store.countAll(db)
}

/** How many times each limit has refused a caller since the process started. */
export function refusalsByLimit({ counts }: Core): Record<LimitName, number> {
  const names = Object.keys(limits) as LimitName[]
  return Object.fromEntries(names.map((name) => [name, counts.refusedAttempts.get(name) ?? 0])) as Record<
    LimitName,
    number
  >
}

async function count(core: Core, kind: LimitName, who: string): Promise<void> {
  const { max, windowMs } = limits[kind]
  const now = Date.now()
  // One more window, because clocks differ between nodes: they must not restart each other's buckets.
  const times = { now, resetsAt: now + windowMs, maxResetsAt: now + 2 * windowMs }
  const attempts = await core.bookkeep((tx) => store.addOne(tx, bucket(kind, who), times))
  if (attempts.count <= max) return
  const { refusedAttempts } = core.counts
  refusedAttempts.set(kind, (refusedAttempts.get(kind) ?? 0) + 1)
  const seconds = Math.max(1, Math.ceil((attempts.resetsAt - now) / 1000))
  throw new AppError("too_many", sentences.tooManyAttempts(Math.ceil(seconds / 60)), seconds)
}

function knownDeviceBucket(device: string, account: string): string {
  return bucket("knownDevice", `${device} ${account}`)
}

/** Hashed, so that the table does not show who tried to log in from where. */
function bucket(kind: Kind, who: string): string {
  return hashToken(`${kind} ${who}`)
}
