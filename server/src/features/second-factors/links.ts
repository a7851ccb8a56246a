import { sentences } from "@envkeep/contract"
import { putLink, usableLink, useUpLink } from "../../access/account-links.ts"
import type { Caller } from "../../access/caller.ts"
import type { Door } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { hourMs } from "../../durations.ts"
import { conflict, notFound } from "../../errors.ts"
import { factorsOf, hasFactor } from "./pending.ts"
import * as store from "./store.ts"

// A lost second factor: an administrator makes a link, here or with `npm run admin`. It is worth nothing without the
// password or a sign-in at a provider.

export const factorLinkHours = 24

/** The token of a new link for an account. An earlier link of the account stops working. */
export function createFactorLink(
  door: Door,
  caller: Caller,
  userId: number,
): Promise<{ token: string; expiresAt: number }> {
  return door.change(caller, "account.factor-link", async (tx, notes) => {
    if ((await store.lockAccount(tx, userId)) === undefined) throw notFound("User")
    if (!hasFactor(await factorsOf(tx, userId))) throw conflict(sentences.noSecondFactor)
    const expiresAt = Date.now() + factorLinkHours * hourMs
    const token = await putLink(tx, "factor_link", userId, expiresAt)
    notes.about({ userId })
    return { token, expiresAt }
  })
}

/** Uses up the link of this account, or says why it cannot be used. The link of another account is not valid here. */
export async function useLink(tx: Tx, userId: number, token: string): Promise<void> {
  await usableLink(tx, "factor", { token, userId })
  await useUpLink(tx, "factor", { token, userId })
}
