import type { SecondFactorMode, SecondFactors } from "@envkeep/contract"
import { factorShown } from "../../access/attempts/rules.ts"
import { sessionOf, type UserCaller } from "../../access/caller.ts"
import { endOtherSessions } from "../../access/end-sessions.ts"
import { requiresFactor } from "../../access/factor-policy.ts"
import type { Core } from "../../core/core.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { factorsOf, hasFactor } from "./pending.ts"
import * as store from "./store.ts"

export async function statusOf(core: Core, mode: SecondFactorMode, caller: UserCaller): Promise<SecondFactors> {
  return { ...(await factorsOf(core.db, caller.userId)), isRequired: requiresFactor(mode, caller.isAdmin) }
}

/** Of these users, those who have a second factor. */
export async function usersWithFactor(db: Reader, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set(ids.length === 0 ? [] : await store.usersWithFactor(db, ids))
}

/**
 * Before a second factor is added. With the first one, the other sessions end: they began with a password alone. The account
 * is locked.
 */
export async function prepareForFactor(tx: Tx, caller: UserCaller): Promise<{ isFirst: boolean }> {
  const { userId, device } = caller
  const isFirst = !hasFactor(await factorsOf(tx, userId))
  if (isFirst) await endOtherSessions(tx, userId, sessionOf(caller))
  await factorShown(tx, device, userId)
  return { isFirst }
}

/** Everything by which the account can finish a login. The password alone is enough from then on. */
export async function removeFactors(tx: Tx, userId: number): Promise<void> {
  await store.deleteTotp(tx, userId)
  await store.deletePasskeys(tx, userId)
  await store.deleteRecoveryCodes(tx, userId)
}
