import type { UserCaller } from "../../caller.ts"
import { hashToken, newSessionToken } from "../../crypto/token.ts"
import type { Db } from "../../db/schema.ts"
import { inTransaction } from "../../db/transaction.ts"
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
  // Once an hour is exact enough for a limit of days, and spares a write per request.
  if (session.seenAt < now - hour) await store.touchSession(db, session.sessionId, now)
  return { userId: session.userId, sessionId: session.sessionId, isAdmin: session.isAdmin === 1 }
}

export function forgetExpiredSessions(db: Db): Promise<void> {
  return store.forgetExpiredSessions(db, bounds(Date.now()))
}

function bounds(now: number) {
  return { begunAfter: now - sessionDays * 24 * hour, seenAfter: now - idleDays * 24 * hour }
}
