import { type InputOf, type SecondFactorMode, type Session, sentences, type sessions } from "@envkeep/contract"
import { rememberDevice } from "../../../access/attempts/rules.ts"
import { sessionOf, type UserCaller, type Visitor } from "../../../access/caller.ts"
import * as ends from "../../../access/end-sessions.ts"
import { requiresFactor } from "../../../access/factor-policy.ts"
import { networkOf } from "../../../access/network.ts"
import type { Core, Notes } from "../../../core/core.ts"
import { isUnreachable, isUnwritable } from "../../../db/faults.ts"
import type { Tx } from "../../../db/schema.ts"
import { hourMs } from "../../../durations.ts"
import { AppError, notFound } from "../../../errors.ts"
import { hashToken, newSessionToken } from "../../../keys/token.ts"
import { forgetApprovals } from "../../cli-logins/end.ts"
import * as accounts from "../store.ts"
import * as store from "./store.ts"

export const idleDays = 30
export const sessionDays = 90
/** Enough for all devices of a person. */
const sessionsPerUser = 100

/**
 * What has proven who signs in: the password with this hash, or something else. That is looked at again in `within`, which
 * throws if it no longer holds.
 */
type Proof =
  | { checkedHash: string; within?: (tx: Tx, notes: Notes) => Promise<void> }
  | { within: (tx: Tx, notes: Notes) => Promise<void> }

type BegunBy = Proof & {
  userId: number
  /** Its provider asked for a second factor. */
  hasProviderFactor?: boolean
  hasShownFactor?: boolean
  /** When it was proven who signs in; now, unless a provider has known it for longer. */
  confirmedAt?: number
}

/** What the browser keeps: the session's token, and one by which it is known at the account's next login. */
interface Begun {
  token: string
  device: string
}

/**
 * Starts a session and ends the browser's previous one, so that no session outlives a change of user. Starts none if the
 * account was disabled, or the password changed, since it was checked: that change ended all sessions of the old password.
 */
export function beginSession(core: Core, caller: Visitor, by: BegunBy): Promise<Begun | undefined> {
  const { userId, hasProviderFactor = false, hasShownFactor = false, within } = by
  return core.change(caller, "session.begin", async (tx, notes) => {
    const now = Date.now()
    const checkedHash = "checkedHash" in by ? by.checkedHash : undefined
    const account = await accounts.setLastSignIn(tx, { userId, now, checkedHash })
    if (account === undefined) {
      notes.nothingChanged()
      return undefined
    }
    await within?.(tx, notes)
    if (caller.kind === "user") await ends.endSession(tx, caller.userId, sessionOf(caller))
    const token = newSessionToken()
    const from = { address: networkOf(caller.address), client: caller.client }
    const confirmedAt = Math.min(now, by.confirmedAt ?? now)
    const tokenHash = hashToken(token)
    await store.insertSession(tx, { userId, tokenHash, now, confirmedAt, hasProviderFactor, ...from })
    await store.endOldestSessions(tx, userId, { kept: sessionsPerUser })
    notes.about({ userId })
    return { token, device: await rememberDevice(tx, account, { hasShownFactor }) }
  })
}

/** Once the caller has proved to be there. A session that has ended since stays ended. */
export async function confirmSession(core: Core, caller: UserCaller): Promise<void> {
  const confirmed = await core.bookkeep((tx) => store.confirmSession(tx, caller.userId, sessionOf(caller), Date.now()))
  if (confirmed === 0) throw new AppError("unauthenticated", sentences.signInFirst)
}

/** The current one first, then the last used ones. */
export async function listSessions({ db }: Core, caller: UserCaller): Promise<Session[]> {
  const rows = await store.sessionsOf(db, caller.userId, expiry(Date.now()))
  const current = sessionOf(caller)
  return rows
    .map(({ id, client, address, startedAt, seenAt }) => ({
      id,
      client,
      address,
      createdAt: new Date(startedAt).toISOString(),
      seenAt: new Date(seenAt).toISOString(),
      isCurrent: id === current,
    }))
    .toSorted((one, other) => Number(other.isCurrent) - Number(one.isCurrent))
}

export function endSession(core: Core, caller: UserCaller, { id }: InputOf<typeof sessions.end>): Promise<null> {
  return core.change(caller, "session.end-one", async (tx, notes) => {
    const ended = await ends.endSession(tx, caller.userId, id)
    if (ended === 0) throw notFound("Session")
    notes.about({ userId: caller.userId })
    return null
  })
}

/** Also what a thief has begun and would soon have a session or a token from. */
export function endOtherSessions(core: Core, caller: UserCaller): Promise<null> {
  return core.change(caller, "session.end-others", async (tx, notes) => {
    const { userId } = caller
    // First, as where a session begins: both lock in the same order.
    await accounts.lockAccount(tx, userId)
    await ends.endOtherSessions(tx, userId, sessionOf(caller))
    await ends.endWaitingSignIns(tx, userId)
    await forgetApprovals(tx, userId)
    notes.about({ userId })
    return null
  })
}

type Identified = Omit<UserCaller, "kind" | "address" | "device" | "client">
type Identify = (token: string) => Promise<Identified | undefined>

interface Identifying {
  mode: SecondFactorMode
  warn: (error: unknown, what: string) => void
}

/** Checked on every request, so that logging out takes effect immediately on every node. */
export function identifyIn(core: Core, { mode, warn }: Identifying): Identify {
  const beingTouched = new Set<number>()
  return async (token) => {
    const now = Date.now()
    const session = await store.liveSession(core.db, hashToken(token), expiry(now))
    if (session === undefined) return undefined
    // Once an hour is accurate enough for a limit of days, and saves a write per request. A time in the future was
    // written before the clock was set back. Left unchanged, it would keep the session alive for as long as the clock
    // was wrong.
    const isAhead = session.startedAt > now + hourMs || session.seenAt > now + hourMs
    // Not awaited: the store's only writer may be busy, and a request that only reads must not wait for it.
    if (isAhead || session.seenAt < now - hourMs) void touch(session, now)
    const { userId, username, sessionId, confirmedAt } = session
    const isAdmin = session.isAdmin === 1
    const hasFactor = session.hasProviderFactor === 1 || Boolean(session.hasFactor)
    const lacksFactor = requiresFactor(mode, isAdmin) && !hasFactor
    return { userId, username, sessionId, isAdmin, confirmedAt, lacksFactor, token: undefined }
  }

  /** Never fails: a store that cannot be written right now can still be read. */
  async function touch({ sessionId, startedAt }: store.SessionRow, now: number): Promise<void> {
    if (beingTouched.has(sessionId)) return
    beingTouched.add(sessionId)
    try {
      const times = { seenAt: now, startedAt: Math.min(startedAt, now) }
      await core.bookkeep((tx) => store.touchSession(tx, sessionId, times))
    } catch (error) {
      if (!isUnwritable(error) && !isUnreachable(error)) warn(error, "could not write down that a session was used")
    } finally {
      beingTouched.delete(sessionId)
    }
  }
}

const sessionsPerStatement = 500

/** For what lasts longer than a request: of these sessions, those that have not ended. */
export function liveSessionsIn({ db }: Core): (ids: readonly number[]) => Promise<ReadonlySet<number>> {
  return async (ids) => {
    const live = new Set<number>()
    for (let start = 0; start < ids.length; start += sessionsPerStatement) {
      const some = ids.slice(start, start + sessionsPerStatement)
      for (const id of await store.liveSessionIds(db, some, expiry(Date.now()))) live.add(id)
    }
    return live
  }
}

function expiry(now: number) {
  return { startedAfter: now - sessionDays * 24 * hourMs, seenAfter: now - idleDays * 24 * hourMs }
}
