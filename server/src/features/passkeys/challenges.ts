import { limits, sentences } from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import type { Visitor } from "../../access/caller.ts"
import type { Core } from "../../core/core.ts"
import { minuteMs } from "../../durations.ts"
import { AppError, invalid } from "../../errors.ts"
import { hashToken } from "../../keys/token.ts"
import * as store from "./store.ts"

// A challenge is a row, so that the answer can come to any node. Taking it deletes it, so that it works once.

export const challengeMs = 5 * minuteMs

/** Writes down what a passkey was asked to sign. */
export async function keepChallenge(
  core: Core,
  challenge: string,
  { purpose, userId, userHandle }: { purpose: store.Purpose; userId?: number; userHandle?: string },
): Promise<void> {
  const now = Date.now()
  await core.bookkeep(async (tx) => {
    await store.deleteExpiredChallenges(tx, now)
    if (userId === undefined && (await store.hasGuestChallenges(tx, limits.waitingPasskeySignIns))) {
      throw new AppError("too_many", sentences.tooManyPasskeySignIns, 60)
    }
    await store.insertChallenge(tx, {
      challengeHash: hashToken(challenge),
      purpose,
      userId: userId ?? null,
      userHandle: userHandle ?? null,
      expiresAt: now + challengeMs,
    })
  })
}

/** Ends a challenge, whatever becomes of the answer. Refuses one that has expired, was taken, or is of another user. */
export async function takeChallenge(
  core: Core,
  challenge: string,
  { purpose, userId }: { purpose: store.Purpose; userId?: number },
): Promise<store.TakenChallenge> {
  const wanted = { challengeHash: hashToken(challenge), purpose, userId: userId ?? null, now: Date.now() }
  const taken = await core.bookkeep((tx) => store.takeChallenge(tx, wanted))
  if (taken === undefined) throw invalid(sentences.passkeyExpired)
  return taken
}

/** A user is counted apart from where they are, so that guests at the same address keep no user out. */
export function countChallenge(core: Core, caller: Visitor, purpose: store.Purpose): Promise<void> {
  const isOfUser = purpose === "register" || purpose === "confirm"
  return caller.kind === "user" && isOfUser
    ? attempts.countOwnPasskey(core, caller.userId)
    : attempts.countPasskey(core, caller.address)
}
