import { type SecondFactorNeeded, sentences } from "@envkeep/contract"
import type { Visitor } from "../../access/caller.ts"
import { networkOf } from "../../access/network.ts"
import type { Site } from "../../access/site.ts"
import type { Core } from "../../core/core.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { minuteMs } from "../../durations.ts"
import { AppError } from "../../errors.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import { hasPasskeyAt } from "./passkey-hosts.ts"
import * as store from "./store.ts"

// The first step of a login with a second factor: what is kept until the second one.

export const signInMinutes = 10
/** More than a person begins in that time. Of one network: another one with the password must not end the owner's login. */
const pendingPerNetwork = 20
/** Then the password must be entered again. */
const maxTries = 5

export type Factors = store.Factors

export function factorsOf(db: Reader, userId: number): Promise<Factors> {
  return store.factorsOf(db, userId)
}

/** Recovery codes are not a factor of their own: they stand in for one. */
export function hasFactor({ totp, passkeys }: Factors): boolean {
  return totp || passkeys > 0
}

/** A login that waits for its second factor: the token for the cookie, and the answer that asks for the factor. */
export interface Pending {
  token: string
  /** What it can be finished with. */
  ways: SecondFactorNeeded["secondFactor"]
  refusal: AppError
}

interface NewPending {
  userId: number
  checkedHash: string
  factors: Factors
  /** Where the login is: it can be finished with a passkey that works there. */
  site: Site
  /** What else is written with it. */
  within?: (tx: Tx) => Promise<void>
}

/** The login of this account waits from now on. `checkedHash` is the hash of the password that was right. */
export async function beginPending(
  core: Core,
  caller: Visitor,
  { userId, checkedHash, factors, site, within }: NewPending,
): Promise<Pending> {
  const [token, now] = [newSessionToken(), Date.now()]
  const address = networkOf(caller.address)
  const expiresAt = now + signInMinutes * minuteMs
  await core.bookkeepTogether(async (tx) => {
    await within?.(tx)
    await store.insertPending(tx, { tokenHash: hashToken(token), userId, checkedHash, address, now, expiresAt })
    await store.deleteOldestPending(tx, userId, { address, kept: pendingPerNetwork })
  })
  const { totp, passkeys, recoveryCodesLeft } = factors
  const passkey = passkeys > 0 && (await hasPasskeyAt(core.db, userId, site))
  const ways = { totp, passkey, recoveryCode: recoveryCodesLeft > 0 }
  const data: SecondFactorNeeded = { secondFactor: ways }
  return { token, ways, refusal: new AppError("forbidden", sentences.secondFactorNeeded, undefined, data) }
}

export type PendingSignIn = store.PendingRow

/** The login that waits, found by the token of its cookie. Counts the try, so that no one can guess in parallel. */
export function tryPending(core: Core, token: string | undefined): Promise<PendingSignIn> {
  return found(token, (tokenHash) => core.bookkeep((tx) => store.addTry(tx, tokenHash, { maxTries, now: Date.now() })))
}

/** The same without a try, for what comes before one. */
export function pendingOf({ db }: Core, token: string | undefined): Promise<PendingSignIn> {
  return found(token, (tokenHash) => store.findPending(db, tokenHash, Date.now()))
}

/** Uses it up, so that it finishes one login. */
export async function takePending(tx: Tx, userId: number, token: string | undefined): Promise<void> {
  const taken = await found(token, (tokenHash) => store.takePending(tx, tokenHash, Date.now()))
  if (taken.userId !== userId) throw expired()
}

async function found<Row>(
  token: string | undefined,
  find: (tokenHash: string) => Promise<Row | undefined>,
): Promise<Row> {
  const row = token === undefined ? undefined : await find(hashToken(token))
  if (row === undefined) throw expired()
  return row
}

const expired = () => new AppError("unauthenticated", sentences.signInExpired)
