import type { InputOf, Session, sessions } from "@envkeep/contract"
import { sessionOf, type UserCaller, type Visitor } from "../../access/caller.ts"
import { networkOf } from "../../access/network.ts"
import type { Core } from "../../db/core.ts"
import { isUnreachable, isUnwritable } from "../../db/faults.ts"
import { notFound } from "../../errors.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import * as store from "./store.ts"

const hourMs = 3_600_000
const idleDays = 30
export const sessionDays = 90
/** Enough for all devices of a person. */
const sessionsPerUser = 100

/**
 * Starts a session and ends the browser's previous one, so that no session outlives a change of user. Starts none if
 * the password was changed since it was checked: that change ended all sessions of the old password.
 */
export function beginSession(
  core: Core,
  caller: Visitor,
  { userId, checkedHash }: { userId: number; checkedHash: string },
): Promise<string | undefined> {
  return core.change(caller, "session.begin", async (tx, notes) => {
    if ((await store.lockUser(tx, userId, checkedHash)) === undefined) {
      notes.nothingChanged()
      return undefined
    }
    if (caller.kind === "user") await store.endSession(tx, caller.userId, sessionOf(caller))
    const token = newSessionToken()
    const from = { address: networkOf(caller.address), client: caller.client }
    await store.insertSession(tx, userId, { tokenHash: hashToken(token), now: Date.now(), ...from })
    await store.setLastSignIn(tx, userId, Date.now())
    await store.endOldestSessions(tx, userId, { kept: sessionsPerUser })
    notes.about({ userId })
    return token
  })
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
    const ended = await store.endSession(tx, caller.userId, id)
    if (ended === 0) throw notFound("Session")
    notes.about({ userId: caller.userId })
    return null
  })
}

export function endOtherSessions(core: Core, caller: UserCaller): Promise<null> {
  return core.change(caller, "session.end-others", async (tx, notes) => {
    await store.endOtherSessions(tx, caller.userId, sessionOf(caller))
    notes.about({ userId: caller.userId })
    return null
  })
}

type Identify = (token: string) => Promise<Pick<UserCaller, "userId" | "isAdmin" | "sessionId" | "token"> | undefined>

/** Checked on every request, so that logging out takes effect immediately on every node. */
export function identifyIn(core: Core, warn: (error: unknown, what: string) => void): Identify {
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
    const { userId, sessionId, isAdmin } = session
    return { userId, sessionId, isAdmin: isAdmin === 1, token: undefined }
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

export function purgeExpiredSessions(core: Core): Promise<void> {
  return core.bookkeep((tx) => store.deleteExpiredSessions(tx, expiry(Date.now())))
}

function expiry(now: number) {
  return { startedAfter: now - sessionDays * 24 * hourMs, seenAfter: now - idleDays * 24 * hourMs }
}
