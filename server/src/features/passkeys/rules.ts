import {
  type AddedPasskey,
  type InputOf,
  limits,
  type Passkey,
  type PasskeyCreation,
  type passkeys,
  sentences,
} from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import { hasPassword } from "../../access/has-password.ts"
import type { Site } from "../../access/site.ts"
import type { Core } from "../../core/core.ts"
import { conflict, invalid, notFound, unlessTaken } from "../../errors.ts"
import { isoTime } from "../../iso-time.ts"
import { newSessionToken } from "../../keys/token.ts"
import { hasIdentity, type Providers } from "../identities/rules.ts"
import { canUsePasskey } from "../second-factors/passkey-hosts.ts"
import { makeRecoveryCodes, removeCodesWithLastFactor } from "../second-factors/recovery-codes.ts"
import { prepareForFactor } from "../second-factors/rules.ts"
import { checkCreation, readClientData } from "./answers.ts"
import { challengeMs, countChallenge, keepChallenge, takeChallenge } from "./challenges.ts"
import { descriptorsAt, relyingPartyAt } from "./relying-party.ts"
import * as store from "./store.ts"
import { algorithms, webAuthn } from "./webauthn.ts"

export async function listPasskeys({ db }: Core, caller: UserCaller): Promise<Passkey[]> {
  return (await store.passkeysOf(db, caller.userId)).map(toPasskey)
}

export async function beginAdding(core: Core, caller: UserCaller, site: Site): Promise<PasskeyCreation> {
  const { userId } = caller
  const party = relyingPartyAt(site)
  await countChallenge(core, caller, "register")
  const own = await store.passkeysOf(core.db, userId)
  if (own.length >= limits.passkeysPerAccount) throw invalid(sentences.tooManyPasskeys)
  const account = await store.namesOf(core.db, userId)
  if (account === undefined) throw notFound("User")
  // Random, because authenticators show it to anyone who holds them. One per account, so that they list it once.
  const userHandle = own[0]?.userHandle ?? newSessionToken()
  const { generateRegistrationOptions } = await webAuthn()
  const options = await generateRegistrationOptions({
    rpName: "Envkeep",
    rpID: party.id,
    userName: account.email,
    userDisplayName: account.username,
    userID: Uint8Array.from(Buffer.from(userHandle, "base64url")),
    timeout: challengeMs,
    attestationType: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: descriptorsAt(own, party),
    supportedAlgorithmIDs: algorithms,
  })
  await keepChallenge(core, options.challenge, { purpose: "register", userId, userHandle })
  return options as PasskeyCreation
}

/** The first factor of an account comes with recovery codes: the passkey may be on one device only. */
export async function addPasskey(
  core: Core,
  caller: UserCaller,
  site: Site,
  { name, answer }: InputOf<typeof passkeys.add>,
): Promise<AddedPasskey> {
  const { userId } = caller
  const party = relyingPartyAt(site)
  const { challenge } = readClientData(answer)
  const { userHandle } = await takeChallenge(core, challenge, { purpose: "register", userId })
  const { transports, ...made } = await checkCreation(answer, party)
  return unlessTaken(sentences.passkeyTaken, () =>
    core.change(caller, "passkey.add", async (tx, notes) => {
      await store.lockUser(tx, userId)
      if ((await store.countPasskeys(tx, userId)) >= limits.passkeysPerAccount) throw invalid(sentences.tooManyPasskeys)
      const { isFirst } = await prepareForFactor(tx, caller)
      const row = await store.insertPasskey(tx, userId, {
        ...made,
        name,
        userHandle: userHandle ?? "",
        host: party.id,
        transports: transports.join(","),
        now: Date.now(),
      })
      notes.about({ userId, names: [name] })
      return isFirst ? { ...toPasskey(row), recoveryCodes: await makeRecoveryCodes(tx, userId) } : toPasskey(row)
    }),
  )
}

export function renamePasskey(
  core: Core,
  caller: UserCaller,
  input: InputOf<typeof passkeys.rename>,
): Promise<Passkey> {
  return core.change(caller, "passkey.rename", async (tx, notes) => {
    const row = await store.renamePasskey(tx, caller.userId, input)
    if (row === undefined) throw notFound("Passkey")
    notes.about({ userId: caller.userId, names: [row.name] })
    return toPasskey(row)
  })
}

export interface Removing {
  core: Core
  providers: Providers
  publicOrigin: string | undefined
}

export function removePasskey(
  { core, providers, publicOrigin }: Removing,
  caller: UserCaller,
  { id }: InputOf<typeof passkeys.remove>,
): Promise<null> {
  return core.change(caller, "passkey.remove", async (tx, notes) => {
    const { userId } = caller
    await store.lockUser(tx, userId)
    const row = await store.deletePasskey(tx, userId, id)
    if (row === undefined) throw notFound("Passkey")
    const hasOtherWay =
      (await canUsePasskey(tx, userId, publicOrigin)) ||
      (await hasPassword(tx, userId)) ||
      (await hasIdentity(tx, providers, userId))
    if (!hasOtherWay) throw conflict(sentences.lastWayToSignIn("remove"))
    await removeCodesWithLastFactor(tx, userId)
    notes.about({ userId, names: [row.name] })
    return null
  })
}

function toPasskey({ id, name, host, isBackedUp, createdAt, lastUsedAt }: store.PasskeyRow): Passkey {
  return {
    id,
    name,
    host,
    isSynced: isBackedUp === 1,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
  }
}
