import { type RecoveryCodes, recoveryCodeCount, recoveryCodeLetters, sentences } from "@envkeep/contract"
import { deleteLinksOf } from "../../access/account-links.ts"
import type { UserCaller } from "../../access/caller.ts"
import type { Core, Notes } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError, conflict } from "../../errors.ts"
import { hashToken, newRecoveryCode } from "../../keys/token.ts"
import { factorsOf, hasFactor } from "./pending.ts"
import * as store from "./store.ts"

/**
 * New ones, which replace all earlier ones. Only their hashes are kept. A link for a lost factor ends: the account has a
 * factor at hand.
 */
export async function makeRecoveryCodes(tx: Tx, userId: number): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => newRecoveryCode(recoveryCodeLetters))
  const hashes = codes.map((code) => hashOf(userId, code.replaceAll("-", "")))
  await store.putRecoveryCodes(tx, userId, { hashes, now: Date.now() })
  await deleteLinksOf(tx, "factor", userId)
  return codes
}

export function createRecoveryCodes(core: Core, caller: UserCaller): Promise<RecoveryCodes> {
  const { userId } = caller
  return core.change(caller, "recovery-codes.create", async (tx, notes) => {
    await store.lockAccount(tx, userId)
    if (!hasFactor(await factorsOf(tx, userId))) throw conflict(sentences.noSecondFactor)
    notes.about({ userId })
    return { recoveryCodes: await makeRecoveryCodes(tx, userId) }
  })
}

/** Uses up a code. `code` has neither hyphens nor spaces. */
export async function useRecoveryCode(tx: Tx, notes: Notes, userId: number, code: string): Promise<void> {
  const used = await store.takeRecoveryCode(tx, userId, hashOf(userId, code))
  if (used === undefined) throw new AppError("unauthenticated", sentences.recoveryCodeWrong)
  const { recoveryCodesLeft: left } = await factorsOf(tx, userId)
  notes.also("recovery-code.use", { userId, counts: { left } })
}

/** They stand in for a factor, so they go with the last one. The account is locked. */
export async function removeCodesWithLastFactor(tx: Tx, userId: number): Promise<void> {
  if (!hasFactor(await factorsOf(tx, userId))) await store.deleteRecoveryCodes(tx, userId)
}

/** Includes the user, so that one guess cannot be compared with the codes of all users. */
function hashOf(userId: number, code: string): string {
  return hashToken(`recovery code ${userId} ${code}`)
}
