import { type InputOf, sentences, type users } from "@envkeep/contract"
import * as attempts from "../../../access/attempts/rules.ts"
import { type Caller, sessionOf, type Visitor } from "../../../access/caller.ts"
import type { Core, Door } from "../../../db/core.ts"
import type { Tx } from "../../../db/schema.ts"
import { invalid, notFound } from "../../../errors.ts"
import { hashPassword } from "../../../keys/password.ts"
import { hashToken, newSessionToken } from "../../../keys/token.ts"
import { refuseCommonPassword } from "../common-passwords.ts"
import { endAllSessions, endSession } from "../sessions/end.ts"
import * as accounts from "../store.ts"
import * as store from "./store.ts"

// A forgotten password: an administrator makes a link, here or with `npm run admin`, or the server sends one
// (`../forgotten`), and its holder sets a new password.

const hourMs = 3_600_000
export const resetLinkHours = 24
/** So long a link is still known, and its holder is told that it has expired or was used. */
const keptAfterExpiryMs = 30 * 24 * hourMs

/** The token of a new link for an account. An earlier link of the account stops working. */
export function createReset(door: Door, caller: Caller, userId: number): Promise<{ token: string; expiresAt: number }> {
  return door.change(caller, "account.reset-link", async (tx, notes) => {
    if ((await accounts.lockAccount(tx, userId)) === undefined) throw notFound("User")
    const expiresAt = Date.now() + resetLinkHours * hourMs
    const token = await putResetWithin(tx, userId, expiresAt)
    notes.about({ userId })
    return { token, expiresAt }
  })
}

/** Inside a transaction of the caller. */
export async function putResetWithin(tx: Tx, userId: number, expiresAt: number): Promise<string> {
  const token = newSessionToken()
  await store.putReset(tx, userId, { tokenHash: hashToken(token), expiresAt })
  return token
}

/** Fails if the link cannot be used, so that its holder learns it before thinking of a password. */
export async function checkResetLink(
  core: Core,
  caller: Visitor,
  { token }: InputOf<typeof users.checkResetLink>,
): Promise<void> {
  await attempts.countResetLink(core, caller.address)
  await usableReset(core, hashToken(token))
}

/**
 * Sets a new password and ends all sessions of the account. The browser's own session ends too, even if it is another
 * account's: it is about to log in with the new password.
 */
export async function resetPassword(
  core: Core,
  caller: Visitor,
  { token, password }: InputOf<typeof users.resetPassword>,
): Promise<void> {
  await attempts.countResetLink(core, caller.address)
  const tokenHash = hashToken(token)
  const { userId } = await usableReset(core, tokenHash)
  await refuseCommonPassword(password, await accounts.userById(core.db, userId))
  const passwordHash = await hashPassword(password, caller.address) // slow on purpose: keep it outside the transaction
  await core.change(caller, "account.reset-password", async (tx, notes) => {
    // The user comes first, as in a change of the password: both lock in the same order.
    await accounts.setPasswordHash(tx, userId, passwordHash)
    if ((await store.markResetUsed(tx, tokenHash, Date.now())) === undefined) throw invalid(sentences.resetLinkUsed)
    await endAllSessions(tx, userId)
    if (caller.kind === "user") await endSession(tx, caller.userId, sessionOf(caller))
    notes.about({ userId })
  })
}

/** The holder of the token may know what became of it, but not whose account it is for. */
async function usableReset({ db }: Core, tokenHash: string): Promise<store.ResetRow> {
  const found = await store.findReset(db, tokenHash)
  if (found === undefined) throw invalid(sentences.resetLinkUnknown)
  if (found.usedAt !== null) throw invalid(sentences.resetLinkUsed)
  if (found.expiresAt <= Date.now()) throw invalid(sentences.resetLinkExpired)
  return found
}

export function purgeExpiredResets(core: Core): Promise<void> {
  return core.bookkeep((tx) => store.deleteResetsBefore(tx, Date.now() - keptAfterExpiryMs))
}
