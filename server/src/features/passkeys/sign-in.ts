import { type InputOf, type PasskeyRequest, type passkeys, sentences } from "@envkeep/contract"
import type { Visitor } from "../../access/caller.ts"
import type { Site } from "../../access/site.ts"
import type { Core } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import { pendingOf, tryPending } from "../second-factors/pending.ts"
import { accountOf } from "../users/rules.ts"
import { finishSignIn, type SecondStep, type SignedIn } from "../users/second-step.ts"
import { beginSession } from "../users/sessions/rules.ts"
import { refused } from "./answers.ts"
import { type AnsweredPasskey, askPasskey, checkPasskey } from "./use.ts"

interface At extends SecondStep {
  site: Site
}

export function beginSignIn(core: Core, caller: Visitor, site: Site): Promise<PasskeyRequest> {
  return askPasskey(core, caller, site, { purpose: "sign-in" })
}

/** The passkey is something you have, and its PIN or fingerprint is a second factor: no second step follows. */
export async function signIn(
  { core, refusals, site }: At,
  caller: Visitor,
  { answer }: InputOf<typeof passkeys.signIn>,
): Promise<SignedIn> {
  let claimed: { id: number; username: string } | undefined
  try {
    const passkey = await checkPasskey(core, caller, site, {
      answer,
      purpose: "sign-in",
      claims: (account) => {
        claimed = account
      },
    })
    return await beginWithout(core, caller, passkey)
  } catch (error) {
    if (error instanceof AppError) refusals.note(caller, claimed)
    throw asRefusedLogin(error)
  }
}

async function beginWithout(core: Core, caller: Visitor, passkey: AnsweredPasskey): Promise<SignedIn> {
  const { userId } = passkey
  const { user, isDisabled } = await accountOf(core, userId)
  if (isDisabled) throw new AppError("forbidden", sentences.accountDisabled)
  const session = await beginSession(core, caller, { userId, hasShownFactor: true, within: spending(passkey) })
  if (session === undefined) throw refused()
  return { user, ...session }
}

export async function beginSecondStep(
  core: Core,
  caller: Visitor,
  site: Site,
  token: string | undefined,
): Promise<PasskeyRequest> {
  const { userId } = await pendingOf(core, token)
  return askPasskey(core, caller, site, { purpose: "second-step", userId })
}

/** After the password: only a passkey of the same account will do. */
export async function takeSecondStep(
  { site, ...step }: At,
  caller: Visitor,
  token: string | undefined,
  { answer }: InputOf<typeof passkeys.secondStep>,
): Promise<SignedIn> {
  const { core, refusals } = step
  const pending = await tryPending(core, token)
  const { userId } = pending
  const account = await accountOf(core, userId)
  try {
    const passkey = await checkPasskey(core, caller, site, { answer, purpose: "second-step", userId })
    return await finishSignIn(step, caller, { pending, token, spend: spending(passkey) })
  } catch (error) {
    if (error instanceof AppError) refusals.note(caller, account, "session.refuse-factor")
    throw asRefusedLogin(error)
  }
}

/** Uses the passkey in the transaction that begins the session: it may have been removed since it was checked. */
function spending({ use }: AnsweredPasskey): (tx: Tx) => Promise<void> {
  return async (tx) => {
    if (!(await use(tx))) throw refused()
  }
}

/** As with a wrong password. */
function asRefusedLogin(error: unknown): unknown {
  return error instanceof AppError && error.code === "invalid" ? new AppError("unauthenticated", error.message) : error
}
