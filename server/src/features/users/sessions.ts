import type { UserCaller } from "../../access/caller.ts"
import { isUnreachable, isUnwritable } from "../../db/faults.ts"
import type { Db } from "../../db/schema.ts"
import { inTransaction } from "../../db/transaction.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import * as store from "./store.ts"

const hour = 3_600_000
const idleDays = 30
export const sessionDays = 90

/**
 * Begins a session and ends the one the browser held before, so that no session outlives a change of user. Nothing is
 * begun when the password was changed since it was checked: a change ends all sessions of the old one.
 */
export function beginSession(
  db: Db,
  { userId, checkedHash }: { userId: number; checkedHash: string },
  previous: UserCaller | undefined,
): Promise<string | undefined> {
  return inTransaction(db, async (tx) => {
    if ((await store.lockUser(tx, userId, checkedHash)) === undefined) return undefined
    if (previous !== undefined) await store.endSession(tx, previous.userId, previous.sessionId)
    const token = newSessionToken()
    await store.insertSession(tx, userId, { tokenHash: hashToken(token), now: Date.now() })
    return token
  })
}

/** Asked on every request, so that logging out takes effect at once on every machine. */
export async function identify(db: Db, token: string): Promise<UserCaller | undefined> {
  const now = Date.now()
  const session = await store.liveSession(db, hashToken(token), bounds(now))
  if (session === undefined) return undefined
  // Once an hour is exact enough for a limit of days, and spares a write per request. What lies ahead was written before
  // the clock was set back: left there, it would keep the session alive for as long as the clock was wrong.
  const isAhead = session.begunAt > now + hour || session.seenAt > now + hour
  if (isAhead || session.seenAt < now - hour) await touch(db, session, now)
  return { userId: session.userId, sessionId: session.sessionId, isAdmin: session.isAdmin === 1 }
}

/** A store that takes no writes right now can still be read. */
async function touch(db: Db, { sessionId, begunAt }: store.SessionRow, now: number): Promise<void> {
  try {
    await store.touchSession(db, sessionId, { seenAt: now, begunAt: Math.min(begunAt, now) })
  } catch (error) {
    if (!isUnwritable(error) && !isUnreachable(error)) throw error
  }
}

export function forgetExpiredSessions(db: Db): Promise<void> {
  return store.forgetExpiredSessions(db, bounds(Date.now()))
}

function bounds(now: number) {
  return { begunAfter: now - sessionDays * 24 * hour, seenAfter: now - idleDays * 24 * hour }
}
