import { type PasskeyRequest, type RequestAnswer, sentences } from "@envkeep/contract"
import type { Visitor } from "../../access/caller.ts"
import type { Site } from "../../access/site.ts"
import type { Core } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { invalid } from "../../errors.ts"
import { checkRequest, readClientData, refused } from "./answers.ts"
import { challengeMs, countChallenge, keepChallenge, takeChallenge } from "./challenges.ts"
import { descriptorsAt, relyingPartyAt } from "./relying-party.ts"
import * as store from "./store.ts"
import { webAuthn } from "./webauthn.ts"

/** What a passkey is used for. Without a user, any account's passkey will do. */
interface Purpose {
  purpose: Exclude<store.Purpose, "register">
  userId?: number
}

/** What the passkey must sign. */
export async function askPasskey(
  core: Core,
  caller: Visitor,
  site: Site,
  { purpose, userId }: Purpose,
): Promise<PasskeyRequest> {
  const party = relyingPartyAt(site)
  await countChallenge(core, caller, purpose)
  const own = userId === undefined ? undefined : descriptorsAt(await store.passkeysOf(core.db, userId), party)
  if (own?.length === 0) throw invalid(sentences.noPasskeyHere)
  const { generateAuthenticationOptions } = await webAuthn()
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    timeout: challengeMs,
    userVerification: "required",
    allowCredentials: own ?? [],
  })
  await keepChallenge(core, options.challenge, { purpose, ...(userId === undefined ? {} : { userId }) })
  return options as PasskeyRequest
}

/** A passkey that has answered. It is only used once `use` is called in the transaction of what it allows. */
export interface AnsweredPasskey {
  userId: number
  /** False if the passkey was removed since, or its count was used by another answer. */
  use: (tx: Tx) => Promise<boolean>
}

interface Answered extends Purpose {
  answer: RequestAnswer
  /** Told whose passkey it claims to be, before it is checked. */
  claims?: (account: { id: number; username: string }) => void
}

/** An unknown passkey, one of another user, and one with a wrong signature get the same answer. */
export async function checkPasskey(
  core: Core,
  caller: Visitor,
  site: Site,
  { answer, purpose, userId, claims }: Answered,
): Promise<AnsweredPasskey> {
  const party = relyingPartyAt(site)
  const { challenge } = readClientData(answer)
  await takeChallenge(core, challenge, { purpose, ...(userId === undefined ? {} : { userId }) })
  const passkey = await store.passkeyByCredential(core.db, answer.id, userId)
  if (passkey === undefined) throw refused()
  claims?.({ id: passkey.userId, username: passkey.username })
  // Without a password, the passkey alone says who signs in, so it must say it.
  if (userId === undefined && !answer.response.userHandle) throw refused()
  const used = await checkRequest(answer, passkey, party)
  if (hasGoneBack(passkey.counter, used.counter)) {
    await core.change(caller, "passkey.refuse", async (_, notes) => {
      notes.about({ userId: passkey.userId, names: [passkey.name] })
    })
    throw invalid(sentences.passkeyCopied)
  }
  return {
    userId: passkey.userId,
    use: (tx) => store.usePasskey(tx, passkey.id, { userId: passkey.userId, now: Date.now(), ...used }),
  }
}

/** A copy counts on its own, so one of the two falls behind. Authenticators that do not count always send zero. */
function hasGoneBack(stored: number, sent: number): boolean {
  return sent <= stored && (sent > 0 || stored > 0)
}
