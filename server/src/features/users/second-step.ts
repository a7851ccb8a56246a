import { type InputOf, type SecondFactorMode, type secondFactors, sentences, type User } from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import type { Visitor } from "../../access/caller.ts"
import { endAllSessions } from "../../access/end-sessions.ts"
import { requiresFactor } from "../../access/factor-policy.ts"
import type { Core, Notes } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import { checkCode, useCode } from "../second-factors/authenticator.ts"
import { useLink } from "../second-factors/links.ts"
import { factorsOf, hasFactor, type PendingSignIn, takePending, tryPending } from "../second-factors/pending.ts"
import { useRecoveryCode } from "../second-factors/recovery-codes.ts"
import { removeFactors } from "../second-factors/rules.ts"
import type { Refusals } from "./refusals.ts"
import { accountOf } from "./rules.ts"
import { beginSession } from "./sessions/rules.ts"

// The second step of a login. The first one has checked the password and left a row with the hash of the cookie's token.

/** What every second step needs. */
export interface SecondStep {
  core: Core
  refusals: Refusals
  mode: SecondFactorMode
}

export interface SignedIn {
  user: User
  token: string
  device: string
}

export async function signInWithCode(
  step: SecondStep,
  caller: Visitor,
  token: string | undefined,
  { code }: InputOf<typeof secondFactors.signInWithCode>,
): Promise<SignedIn> {
  const pending = await tryPending(step.core, token)
  return counted(step, { caller, pending, kind: "totp" }, async (takeBack) => {
    const used = await checkCode(step.core, pending.userId, code)
    return finishSignIn(step, caller, {
      pending,
      token,
      async spend(tx) {
        await useCode(tx, used)
        await takeBack(tx)
      },
    })
  })
}

export async function signInWithRecoveryCode(
  step: SecondStep,
  caller: Visitor,
  token: string | undefined,
  { code }: InputOf<typeof secondFactors.signInWithRecoveryCode>,
): Promise<SignedIn> {
  const pending = await tryPending(step.core, token)
  return counted(step, { caller, pending, kind: "recovery" }, (takeBack) =>
    finishSignIn(step, caller, {
      pending,
      token,
      async spend(tx, notes) {
        await useRecoveryCode(tx, notes, pending.userId, code)
        await takeBack(tx)
      },
    }),
  )
}

/** A lost phone may have a session of the account, so all others end. */
export async function signInWithLink(
  step: SecondStep,
  caller: Visitor,
  token: string | undefined,
  { token: link }: InputOf<typeof secondFactors.signInWithLink>,
): Promise<SignedIn> {
  const pending = await tryPending(step.core, token)
  const { userId } = pending
  return noted(step, caller, userId, () =>
    finishSignIn(step, caller, {
      pending,
      token,
      async spend(tx, notes) {
        await useLink(tx, userId, link)
        await removeFactors(tx, userId)
        await endAllSessions(tx, userId)
        notes.also("account.remove-factors", { userId })
      },
    }),
  )
}

interface Attempt {
  caller: Visitor
  pending: PendingSignIn
  kind: attempts.FactorKind
}

/** Guesses at an account's codes are counted before they are checked. The work takes back what was right. */
function counted<Result>(
  step: SecondStep,
  { caller, pending, kind }: Attempt,
  work: (takeBack: (tx: Tx) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { userId } = pending
  return noted(step, caller, userId, async ({ emailKey }) => {
    const account = { emailKey, passwordHash: pending.checkedHash }
    const attempt = await attempts.countFactor(step.core, caller, { kind, userId, account })
    return work((tx) => attempts.factorSucceeded(tx, attempt))
  })
}

/** A second step that is refused is an event of the account. */
async function noted<Result>(
  { core, refusals }: SecondStep,
  caller: Visitor,
  userId: number,
  work: (account: { emailKey: string }) => Promise<Result>,
): Promise<Result> {
  const account = await accountOf(core, userId)
  try {
    return await work(account)
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) refusals.note(caller, account, "session.refuse-factor")
    throw error
  }
}

/** Not if the login has expired, or the server could not look. A link that does not fit is invalid. */
function isRefusal({ code }: AppError): boolean {
  return code === "unauthenticated" || code === "too_many" || code === "invalid"
}

interface Finish {
  pending: PendingSignIn
  token: string | undefined
  /** Uses up the second factor in the transaction that begins the session, or throws. */
  spend(tx: Tx, notes: Notes): Promise<void>
}

/** Begins the session of a login whose second factor was right. That uses the waiting login up. */
export async function finishSignIn(
  { core, mode }: SecondStep,
  caller: Visitor,
  { pending, token = "", spend }: Finish,
): Promise<SignedIn> {
  const { userId, checkedHash } = pending
  const session = await beginSession(core, caller, {
    userId,
    checkedHash,
    hasShownFactor: true,
    async within(tx, notes) {
      await takePending(tx, userId, token)
      await spend(tx, notes)
    },
  })
  // The password was changed, or the account disabled or deleted, since the first step.
  if (session === undefined) throw new AppError("unauthenticated", sentences.signInExpired)
  const { user } = await accountOf(core, userId)
  const needs = requiresFactor(mode, user.isAdmin) && !hasFactor(await factorsOf(core.db, userId))
  return { user: needs ? { ...user, needsSecondFactor: true } : user, ...session }
}
