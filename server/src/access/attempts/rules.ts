import { sentences } from "@envkeep/contract"
import type { Bookkeeping } from "../../db/bookkeeping.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { dayMs, minuteMs } from "../../durations.ts"
import { AppError } from "../../errors.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import type { UserCaller, Visitor } from "../caller.ts"
import { networkOf } from "../network.ts"
import * as store from "./store.ts"

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
  /** Guesses at the second factor of one account: from anywhere in a while and in a day, and from a known browser. */
  factorAccount: { max: 10, windowMs: 15 * minuteMs },
  factorAccountDay: { max: 50, windowMs: dayMs },
  factorDevice: { max: 10, windowMs: 15 * minuteMs },
  /** One address guessing at reset links. */
  resetLink: { max: 100, windowMs: 15 * minuteMs },
  register: { max: 100, windowMs: 60 * minuteMs },
  newEmail: { max: 100, windowMs: 60 * minuteMs },
  /** One user looking for accounts. */
  lookUp: { max: 100, windowMs: 60 * minuteMs },
  /** One address beginning logins of the command, and one user guessing at the codes of others. */
  cliLogin: { max: 100, windowMs: 60 * minuteMs },
  cliCode: { max: 20, windowMs: 15 * minuteMs },
  /** One address, or one user, beginning what a passkey answers. Each visit of the login page may begin one. */
  passkey: { max: 500, windowMs: 15 * minuteMs },
  /** One address, or one session, sending browsers to sign-in providers. A whole office may have one address. */
  providerVisit: { max: 300, windowMs: 15 * minuteMs },
  /**
   * One network beginning any of these. So many of each wait at most, of all callers together: the addresses of a single
   * network must not take all places.
   */
  cliLoginNetwork: { max: 300, windowMs: 60 * minuteMs },
  passkeyNetwork: { max: 2_000, windowMs: 15 * minuteMs },
  providerVisitNetwork: { max: 2_000, windowMs: 15 * minuteMs },
  /** One address guessing at invitations. A whole office may have one address. */
  invitation: { max: 300, windowMs: 15 * minuteMs },
  /** One address asking for links, and links for one e-mail, whether it has an account or not. */
  forgottenAddress: { max: 20, windowMs: 60 * minuteMs },
  forgottenAccount: { max: 5, windowMs: 60 * minuteMs },
  /** Mails to addresses that one user chooses. */
  invitationMail: { max: 50, windowMs: 60 * minuteMs },
} satisfies Record<string, Limit>

type LimitName = keyof typeof limits
type DeviceKind = "knownDevice" | "factorKnownDevice"
type Kind = LimitName | DeviceKind | "notice" | "refusedKey"

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
export async function countLogin(
  core: Bookkeeping,
  { address, device }: Visitor,
  { account, passwordHash }: { account: string; passwordHash: string | undefined },
): Promise<CountedLogin> {
  const knownDevice =
    passwordHash !== undefined && (await isKnownDevice(core.db, device, { emailKey: account, passwordHash }))
  await (knownDevice
    ? count(core, ["loginDevice", `${device} ${account}`])
    : count(core, ["loginAddress", address], ["loginPair", `${address} ${account}`], ["loginAccount", account]))
  return { knownDevice, device, address }
}

/** With a new password, all browsers are forgotten: those of a thief who knew the old one too. */
type DeviceAccount = store.DeviceAccount

/** Whether the account's owner has logged in with this browser since the password was set. */
export function isKnownDevice(db: Reader, device: string, account: DeviceAccount): Promise<boolean> {
  return isKnown(db, "knownDevice", device, account)
}

/** The same for the account of a user, as it is now. */
export async function isKnownDeviceOf(db: Reader, device: string, userId: number): Promise<boolean> {
  const account = await store.deviceAccountOf(db, userId)
  return account !== undefined && (await isKnownDevice(db, device, account))
}

/** The browser in which the password or the e-mail was changed stays known, and no other one does. `before` is what changed. */
export async function keepDevice(
  tx: Tx,
  { userId, device }: Pick<UserCaller, "userId" | "device">,
  before: Partial<DeviceAccount>,
): Promise<void> {
  const account = await store.deviceAccountOf(tx, userId)
  if (account === undefined) return
  const former = { ...account, ...before }
  for (const as of ["knownDevice", "factorKnownDevice"] as const) {
    if (await isKnown(tx, as, device, former)) await remember(tx, as, device, account)
    // No login would take them away any more: with ever new e-mails, an account could have any number.
    if (former.emailKey !== account.emailKey) {
      await store.deleteOldestDevices(tx, { account: bucket(as, former.emailKey), kept: 0, except: "" })
    }
  }
}

/** A known browser has shown a second factor: the one that was set up in it. */
export async function factorShown(tx: Tx, device: string, userId: number): Promise<void> {
  const account = await store.deviceAccountOf(tx, userId)
  if (account === undefined || !(await isKnownDevice(tx, device, account))) return
  await remember(tx, "factorKnownDevice", device, account)
}

async function isKnown(db: Reader, as: DeviceKind, device: string, account: DeviceAccount): Promise<boolean> {
  return device !== "" && (await store.isActive(db, deviceBucket(as, device, account), Date.now()))
}

/** Takes back what was counted, so that only failures count. */
export async function loginSucceeded(tx: Tx, counted: CountedLogin, account: string): Promise<void> {
  const { knownDevice, device, address } = counted
  if (knownDevice) {
    await store.deleteBucket(tx, bucket("loginDevice", `${device} ${account}`))
  } else {
    // In the order in which they are counted: of two that hold some of these rows, neither waits for the other.
    await store.subtractOne(tx, bucket("loginAddress", address))
    await store.deleteBucket(tx, bucket("loginPair", `${address} ${account}`))
    await store.subtractOne(tx, bucket("loginAccount", account))
  }
}

/**
 * The token for this browser to send at the account's next login. Always new: a planted token never becomes known. Guesses at
 * a second factor are counted apart only in a browser in which one was shown: another one only knows the password.
 */
export async function rememberDevice(
  tx: Tx,
  account: DeviceAccount,
  { hasShownFactor = false }: { hasShownFactor?: boolean } = {},
): Promise<string> {
  const device = newSessionToken()
  await remember(tx, "knownDevice", device, account)
  if (hasShownFactor) await remember(tx, "factorKnownDevice", device, account)
  return device
}

/** Each login adds one, and successful logins are not limited. As many as a user can have sessions. */
const devicesPerAccount = 100

/** The one that was remembered first gives way, but never this one, even if the clock was set back. */
async function remember(tx: Tx, as: DeviceKind, device: string, deviceAccount: DeviceAccount): Promise<void> {
  const account = bucket(as, deviceAccount.emailKey)
  const added = deviceBucket(as, device, deviceAccount)
  await store.addDevice(tx, { bucket: added, account, resetsAt: Date.now() + 90 * dayMs })
  await store.deleteOldestDevices(tx, { account, kept: devicesPerAccount - 1, except: added })
}

/** Codes of an app and recovery codes are counted apart: when one is blocked, the owner has the other. */
export type FactorKind = "totp" | "recovery"

/** What a second step was counted against. If it succeeds, that is taken back. */
export interface CountedFactor {
  buckets: string[]
}

/**
 * Counts a second step before its code is checked. An attacker who has the password must not lock the owner out, so a
 * browser in which the owner has shown a second factor before is counted separately.
 */
export async function countFactor(
  core: Bookkeeping,
  { device }: Visitor,
  { kind, userId, account }: { kind: FactorKind; userId: number; account: DeviceAccount },
): Promise<CountedFactor> {
  const knownDevice = await isKnown(core.db, "factorKnownDevice", device, account)
  const limitNames: LimitName[] = knownDevice ? ["factorDevice"] : ["factorAccount", "factorAccountDay"]
  const who = knownDevice ? `${kind} ${device} ${userId}` : `${kind} ${userId}`
  await count(core, ...limitNames.map((name) => [name, who] as const))
  return { buckets: limitNames.map((name) => bucket(name, who)) }
}

export async function factorSucceeded(tx: Tx, { buckets }: CountedFactor): Promise<void> {
  for (const one of buckets) await store.subtractOne(tx, one)
}

export function countRegistration(core: Bookkeeping, address: string): Promise<void> {
  return count(core, ["register", address])
}

export function countNewEmail(core: Bookkeeping, userId: number): Promise<void> {
  return count(core, ["newEmail", String(userId)])
}

export function countLookUp(core: Bookkeeping, userId: number): Promise<void> {
  return count(core, ["lookUp", String(userId)])
}

export function countInvitation(core: Bookkeeping, address: string): Promise<void> {
  return count(core, ["invitation", address])
}

export function countPasskey(core: Bookkeeping, address: string): Promise<void> {
  return count(core, ["passkey", address], ["passkeyNetwork", networkOf(address)])
}

export function countOwnPasskey(core: Bookkeeping, userId: number): Promise<void> {
  return count(core, ["passkey", `user ${userId}`])
}

export function countProviderVisit(core: Bookkeeping, address: string): Promise<void> {
  return count(core, ["providerVisit", address], ["providerVisitNetwork", networkOf(address)])
}

export function countOwnProviderVisit(core: Bookkeeping, sessionId: number): Promise<void> {
  return count(core, ["providerVisit", `session ${sessionId}`])
}

export function countForgotten(core: Bookkeeping, address: string, account: string): Promise<void> {
  return count(core, ["forgottenAddress", address], ["forgottenAccount", account])
}

export function countInvitationMail(core: Bookkeeping, userId: number): Promise<void> {
  return count(core, ["invitationMail", String(userId)])
}

/** How many notices of a kind the account has got in this hour, with this one, and when the hour ends. */
export function countNotice(tx: Tx, userId: number, kind: string): Promise<{ count: number; resetsAt: number }> {
  const now = Date.now()
  const resetsAt = now + 60 * minuteMs
  return store.addOne(tx, {
    bucket: bucket("notice", `${userId} ${kind}`),
    now,
    resetsAt,
    maxResetsAt: resetsAt + 60 * minuteMs,
  })
}

/** Whether it has been said on this day that a key was refused again and again. */
export function isRefusalSaid(db: Reader, keyId: number, dayAt: number): Promise<boolean> {
  return store.isActive(db, bucket("refusedKey", `${keyId} ${dayAt}`), Date.now())
}

/** Of all who want to say it, one is the first. */
export async function isFirstRefusalOfDay(tx: Tx, keyId: number, dayAt: number): Promise<boolean> {
  const resetsAt = dayAt + 2 * dayMs
  const added = { bucket: bucket("refusedKey", `${keyId} ${dayAt}`), now: Date.now(), resetsAt, maxResetsAt: resetsAt }
  return (await store.addOne(tx, added)).count === 1
}

export function countCliLogin(core: Bookkeeping, address: string): Promise<void> {
  return count(core, ["cliLogin", address], ["cliLoginNetwork", networkOf(address)])
}

export function countCliCode(core: Bookkeeping, userId: number): Promise<void> {
  return count(core, ["cliCode", String(userId)])
}

/** Takes back what was counted, so that only wrong codes count. */
export function cliCodeFound(core: Bookkeeping, userId: number): Promise<void> {
  return core.bookkeep((tx) => store.subtractOne(tx, bucket("cliCode", String(userId))))
}

/** Counted by session: with a stolen session, a thief cannot stop the owner from changing the password in another. */
export function countOldPassword(core: Bookkeeping, sessionId: number): Promise<void> {
  return count(core, ["oldPassword", String(sessionId)])
}

export function oldPasswordSucceeded(tx: Tx, sessionId: number): Promise<void> {
  return store.deleteBucket(tx, bucket("oldPassword", String(sessionId)))
}

export function countResetLink(core: Bookkeeping, address: string): Promise<void> {
  return count(core, ["resetLink", address])
}

/** How many rows count attempts right now. */
export function keptAttempts(db: Reader): Promise<number> {
  return store.countAll(db)
}

/** How many times each limit has refused a caller since the process started. */
export function refusalsByLimit({ counts }: Bookkeeping): Record<LimitName, number> {
  const names = Object.keys(limits) as LimitName[]
  return Object.fromEntries(names.map((name) => [name, counts.refusedAttempts.get(name) ?? 0])) as Record<
    LimitName,
    number
  >
}

/**
 * Counts an attempt against these limits, one after the other, up to the first that refuses it: an address that is over
 * its limit must not use up that of an account. What was counted stays, also if it is refused.
 */
async function count(core: Bookkeeping, ...against: (readonly [limit: LimitName, who: string])[]): Promise<void> {
  const now = Date.now()
  const refused = await core.bookkeepTogether(async (tx) => {
    for (const [limit, who] of against) {
      const { max, windowMs } = limits[limit]
      // One more window, because clocks differ between nodes: they must not restart each other's buckets.
      const times = { now, resetsAt: now + windowMs, maxResetsAt: now + 2 * windowMs }
      const attempts = await store.addOne(tx, { bucket: bucket(limit, who), ...times })
      if (attempts.count > max) return { limit, resetsAt: attempts.resetsAt }
    }
    return undefined
  })
  if (refused === undefined) return
  const { refusedAttempts } = core.counts
  refusedAttempts.set(refused.limit, (refusedAttempts.get(refused.limit) ?? 0) + 1)
  const seconds = Math.max(1, Math.ceil((refused.resetsAt - now) / 1000))
  throw new AppError("too_many", sentences.tooManyAttempts(Math.ceil(seconds / 60)), seconds)
}

function deviceBucket(as: DeviceKind, device: string, { emailKey, passwordHash }: DeviceAccount): string {
  return bucket(as, `${device} ${emailKey} ${passwordHash}`)
}

/** Hashed, so that the table does not show who tried to log in from where. */
function bucket(kind: Kind, who: string): string {
  return hashToken(`${kind} ${who}`)
}
