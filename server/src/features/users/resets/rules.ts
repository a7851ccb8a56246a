import type { InputOf, users } from "@envkeep/contract"
import { putLink, usableLink, useUpLink } from "../../../access/account-links.ts"
import * as attempts from "../../../access/attempts/rules.ts"
import { type Caller, sessionOf, type Visitor } from "../../../access/caller.ts"
import { endAllSessions, endSession } from "../../../access/end-sessions.ts"
import type { Core, Door } from "../../../core/core.ts"
import { hourMs } from "../../../durations.ts"
import { notFound } from "../../../errors.ts"
import { hashPassword } from "../../../keys/password.ts"
import { forgetApprovals } from "../../cli-logins/end.ts"
import { refuseCommonPassword } from "../common-passwords.ts"
import * as accounts from "../store.ts"

// A forgotten password: an administrator makes a link, here or with `npm run admin`, or the server sends one
// (`../forgotten`), and its holder sets a new password.

export const resetLinkHours = 24

/** The token of a new link for an account. An earlier one of an administrator stops working. */
export function createReset(door: Door, caller: Caller, userId: number): Promise<{ token: string; expiresAt: number }> {
  return door.change(caller, "account.reset-link", async (tx, notes) => {
    if ((await accounts.lockAccount(tx, userId)) === undefined) throw notFound("User")
    const expiresAt = Date.now() + resetLinkHours * hourMs
    const token = await putLink(tx, "password_reset", userId, expiresAt)
    notes.about({ userId })
    return { token, expiresAt }
  })
}

/** Fails if the link cannot be used, so that its holder learns it before thinking of a password. */
export async function checkResetLink(
  core: Core,
  caller: Visitor,
  { token }: InputOf<typeof users.checkResetLink>,
): Promise<void> {
  await attempts.countResetLink(core, caller.address)
  await usableLink(core.db, "reset", { token })
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
  const { userId } = await usableLink(core.db, "reset", { token })
  await refuseCommonPassword(password, await accounts.userById(core.db, userId))
  const passwordHash = await hashPassword(password, caller.address) // slow on purpose: keep it outside the transaction
  await core.change(caller, "account.reset-password", async (tx, notes) => {
    // The user comes first, as in a change of the password: both lock in the same order.
    await accounts.setPasswordHash(tx, userId, passwordHash)
    await useUpLink(tx, "reset", { token, userId })
    await endAllSessions(tx, userId)
    await forgetApprovals(tx, userId)
    if (caller.kind === "user") await endSession(tx, caller.userId, sessionOf(caller))
    notes.about({ userId })
  })
}
