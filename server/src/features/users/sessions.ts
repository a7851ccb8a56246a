import type { UserCaller, Visitor } from "../../access/caller.ts"
import type { Core } from "../../db/core.ts"
import { isUnreachable, isUnwritable } from "../../db/faults.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import * as store from "./store.ts"

const hourMs = 3_600_000
const idleDays = 30
export const sessionDays = 90

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
    notes.about({ userId })
    return token
  })
}

/** Checked on every request, so that logging out takes effect immediately on every node. */
export async function identify(
  core: Core,
  token: string,
): Promise<Pick<UserCaller, "userId" | "sessionId" | "isAdmin"> | undefined> {
  const now = Date.now()
  const session = await store.liveSession(core.db, hashToken(token), expiry(now))
  if (session === undefined) return undefined
  // Once an hour is accurate enough for a limit of days, and saves a write per request. A time in the future was
  // written before the clock was set back. Left unchanged, it would keep the session alive for as long as the clock was
  // wrong.
  const isAhead = session.startedAt > now + hourMs || session.seenAt > now + hourMs
  if (isAhead || session.seenAt < now - hourMs) await touch(core, session, now)
  return { userId: session.userId, sessionId: session.sessionId, isAdmin: session.isAdmin === 1 }
}

/** A store that cannot be written right now can still be read. */
async function touch(core: Core, { sessionId, startedAt }: store.SessionRow, now: number): Promise<void> {
  try {
    const times = { seenAt: now, startedAt: Math.min(startedAt, now) }
    await core.bookkeep((tx) => store.touchSession(tx, sessionId, times))
  } catch (error) {
    if (!isUnwritable(error) && !isUnreachable(error)) throw error
  }
}

export function purgeExpiredSessions(core: Core): Promise<void> {
  return core.bookkeep((tx) => store.deleteExpiredSessions(tx, expiry(Date.now())))
}

function expiry(now: number) {
  return { startedAfter: now - sessionDays * 24 * hourMs, seenAfter: now - idleDays * 24 * hourMs }
}
