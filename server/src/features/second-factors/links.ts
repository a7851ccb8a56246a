import { sentences } from "@envkeep/contract"
import type { Caller } from "../../access/caller.ts"
import type { Core, Door } from "../../db/core.ts"
import type { Tx } from "../../db/schema.ts"
import { conflict, invalid, notFound } from "../../errors.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import { factorsOf, hasFactor } from "./pending.ts"
import * as store from "./store.ts"

// A lost second factor: an administrator makes a link, here or with `npm run admin`. It is worth nothing without the password.

const hourMs = 3_600_000
export const factorLinkHours = 24
/** So long a link is still known, and its holder is told that it has expired or was used. */
const keptAfterExpiryMs = 30 * 24 * hourMs

/** The token of a new link for an account. An earlier link of the account stops working. */
export function createFactorLink(
  door: Door,
  caller: Caller,
  userId: number,
): Promise<{ token: string; expiresAt: number }> {
  return door.change(caller, "account.factor-link", async (tx, notes) => {
    if ((await store.lockAccount(tx, userId)) === undefined) throw notFound("User")
    if (!hasFactor(await factorsOf(tx, userId))) throw conflict(sentences.noSecondFactor)
    const token = newSessionToken()
    const expiresAt = Date.now() + factorLinkHours * hourMs
    await store.putLink(tx, userId, { tokenHash: hashToken(token), expiresAt })
    notes.about({ userId })
    return { token, expiresAt }
  })
}

/** Uses the link of this account up, or says why it cannot be used. The link of another account is not valid here. */
export async function useLink(tx: Tx, userId: number, token: string): Promise<void> {
  const [tokenHash, now] = [hashToken(token), Date.now()]
  if ((await store.markLinkUsed(tx, userId, { tokenHash, now })) !== undefined) return
  const found = await store.findLink(tx, userId, tokenHash)
  if (found === undefined) throw invalid(sentences.resetLinkUnknown)
  throw invalid(found.usedAt === null ? sentences.resetLinkExpired : sentences.resetLinkUsed)
}

export function purgeExpiredLinks(core: Core): Promise<void> {
  return core.bookkeep((tx) => store.deleteLinksBefore(tx, Date.now() - keptAfterExpiryMs))
}
