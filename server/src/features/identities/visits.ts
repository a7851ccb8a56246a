import { limits, type SignInProvider } from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import type { Visitor } from "../../access/caller.ts"
import type { Core } from "../../core/core.ts"
import { AppError } from "../../errors.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import * as store from "./store.ts"

// A visit begins when a browser is about to be sent to a provider, and ends when it comes back: once, and only in that
// browser, which has the visit's token in a cookie. The server keeps the hash of the token, so any node can end the visit.

export const visitSeconds = 10 * 60

export interface VisitStart {
  token: string
  /** Where the browser goes on. */
  address: string
}

type NewVisit = Omit<store.Visit, "createdAt"> & { provider: SignInProvider["name"] }

export async function beginVisit(core: Core, caller: Visitor, visit: NewVisit): Promise<VisitStart> {
  const { sessionId } = visit
  await (sessionId === null
    ? attempts.countProviderVisit(core, caller.address)
    : attempts.countOwnProviderVisit(core, sessionId))
  const [token, now] = [newSessionToken(), Date.now()]
  await core.bookkeep(async (tx) => {
    await store.deleteExpiredVisits(tx, now)
    // A session has one at most. So there is no limit for these, and guests who reach theirs keep no user out.
    if (sessionId !== null) await store.deleteVisitOf(tx, sessionId)
    else if (await store.hasGuestVisits(tx, limits.waitingProviderVisits))
      throw new AppError("too_many", "too many visits", 60)
    const expiresAt = now + visitSeconds * 1_000
    await store.insertVisit(tx, { ...visit, tokenHash: hashToken(token), createdAt: now, expiresAt })
  })
  return { token, address: `/api/sign-in/${visit.provider}/continue` }
}

/** What the browser goes to the provider for. Undefined if that is over. */
export async function purposeOf(
  { db }: Core,
  provider: SignInProvider["name"],
  token: string,
): Promise<store.Visit["purpose"] | undefined> {
  const found = await store.findVisit(db, { tokenHash: hashToken(token), provider, now: Date.now() })
  return found?.purpose
}

/** The visit, if it was not ended before. */
export function endVisit(
  core: Core,
  provider: SignInProvider["name"],
  token: string,
): Promise<store.Visit | undefined> {
  return core.bookkeep((tx) => store.takeVisit(tx, { tokenHash: hashToken(token), provider, now: Date.now() }))
}
