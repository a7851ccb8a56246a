import type { UserCaller, Visitor } from "../../access/caller.ts"
import type { Core } from "../../db/core.ts"
import { isUnreachable, isUnwritable } from "../../db/faults.ts"
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
    if (caller.kind === "user") await store.endSession(tx, caller.userId, caller.sessionId)
    const token = newSessionToken()
    await store.insertSession(tx, userId, { tokenHash: hashToken(token), now: Date.now() })
    await store.endOldestSessions(tx, userId, { kept: sessionsPerUser })
    notes.about({ userId })
    return token
  })
}

type Identify = (token: string) => Promise<Pick<UserCaller, "userId" | "sessionId" | "isAdmin"> | undefined>

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
    return { userId: session.userId, sessionId: session.sessionId, isAdmin: session.isAdmin === 1 }
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
