import { type InputOf, type OutputOf, type RecoveryCodes, type secondFactors, sentences } from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import type { Core } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError, conflict, invalid, notFound } from "../../errors.ts"
import { makeRecoveryCodes, removeCodesWithLastFactor } from "./recovery-codes.ts"
import { prepareForFactor } from "./rules.ts"
import * as store from "./store.ts"
import { base32, otpauthUri, stepAt, stepOfCode } from "./totp.ts"

/** How far apart the clocks of two nodes may be. A step beyond it was written while the clock was wrong. */
const clockToleranceSteps = 10

/** No event: until it is confirmed, nothing has changed for the account. */
export function beginTotp(core: Core, caller: UserCaller): Promise<OutputOf<typeof secondFactors.beginTotp>> {
  const { userId } = caller
  return core.change(caller, "totp.enable", async (tx, notes) => {
    notes.nothingChanged()
    const account = await store.lockAccount(tx, userId)
    if (account === undefined) throw notFound("User")
    if ((await store.factorsOf(tx, userId)).totp) throw conflict(sentences.totpAlreadyOn)
    const sealedSecret = await core.vault.newTotpSecret(tx, userId)
    const secret = await core.vault.totpSecret(tx, userId, sealedSecret)
    if (secret === undefined) throw new Error("a secret that was just sealed does not open")
    await store.putTotp(tx, userId, { sealedSecret, now: Date.now() })
    const bytes = secret.export()
    return { secret: base32(bytes), uri: otpauthUri(bytes, account.email) }
  })
}

export function confirmTotp(
  core: Core,
  caller: UserCaller,
  { code }: InputOf<typeof secondFactors.confirmTotp>,
): Promise<RecoveryCodes> {
  const { userId } = caller
  return core.change(caller, "totp.enable", async (tx, notes) => {
    await store.lockAccount(tx, userId)
    const totp = await store.totpOf(tx, userId)
    if (totp === undefined) throw conflict(sentences.totpNotBegun)
    if (totp.confirmedAt !== null) throw conflict(sentences.totpAlreadyOn)
    const secret = await core.vault.totpSecret(tx, userId, totp.sealedSecret)
    const now = Date.now()
    const step = secret && stepOfCode(secret, code, now)
    if (step === undefined) throw invalid(sentences.totpCodeWrong)
    await prepareForFactor(tx, caller)
    await store.confirmTotp(tx, totp.id, { step, now })
    notes.about({ userId })
    return { recoveryCodes: await makeRecoveryCodes(tx, userId) }
  })
}

export function removeTotp(core: Core, caller: UserCaller): Promise<null> {
  const { userId } = caller
  return core.change(caller, "totp.disable", async (tx, notes) => {
    await store.lockAccount(tx, userId)
    const { wasOn } = await store.deleteTotp(tx, userId)
    if (!wasOn) throw conflict(sentences.totpNotOn)
    await removeCodesWithLastFactor(tx, userId)
    notes.about({ userId })
    return null
  })
}

/** A code that was right, and has still to be marked as used. */
export interface CheckedCode {
  totp: store.TotpRow
  step: number
}

export async function checkCode({ db, vault }: Core, userId: number, code: string): Promise<CheckedCode> {
  const totp = await store.totpOf(db, userId)
  if (totp === undefined || totp.confirmedAt === null) throw wrongCode()
  const secret = await vault.totpSecret(db, userId, totp.sealedSecret)
  if (secret === undefined) throw conflict(sentences.totpDamaged)
  const step = stepOfCode(secret, code, Date.now())
  if (step === undefined) throw wrongCode()
  return { totp, step }
}

/** Refuses a code that was used before like a wrong one: another sentence would tell that it was right. */
export async function useCode(tx: Tx, { totp, step }: CheckedCode): Promise<void> {
  const maxStep = stepAt(Date.now()) + clockToleranceSteps
  if ((await store.useStep(tx, totp, { step, maxStep })) === undefined) throw wrongCode()
}

const wrongCode = () => new AppError("unauthenticated", sentences.totpCodeWrong)
