import { hash } from "node:crypto"
import { type CreationAnswer, type RequestAnswer, sentences } from "@envkeep/contract"
import { type AppError, invalid } from "../../errors.ts"
import type { RelyingParty } from "../second-factors/passkey-hosts.ts"
import { algorithms, webAuthn } from "./webauthn.ts"

// The library checks an answer and throws errors for developers. Problems that users can fix are found first and get a
// sentence of ours. Everything else that the library refuses gets one sentence, which tells no more.

type Bytes = Uint8Array<ArrayBuffer>

/** What the browser says about an answer. The passkey has signed it. */
export interface ClientData {
  challenge: string
  origin: string
  crossOrigin?: boolean
}

/** Before anything is checked: only to find the challenge that the answer is to. */
export function readClientData({ response }: CreationAnswer | RequestAnswer): ClientData {
  const text = Buffer.from(response.clientDataJSON, "base64url").toString("utf8")
  const read = orRefuse(() => JSON.parse(text) as Partial<ClientData> | null)
  if (typeof read?.challenge !== "string" || typeof read.origin !== "string") throw refused()
  return { challenge: read.challenge, origin: read.origin, crossOrigin: read.crossOrigin === true }
}

export interface MadePasskey {
  credentialId: string
  publicKey: string
  counter: number
  transports: string[]
  isMultiDevice: boolean
  isBackedUp: boolean
  aaguid: string
}

export async function checkCreation(answer: CreationAnswer, party: RelyingParty): Promise<MadePasskey> {
  const client = readClientData(answer)
  const { decodeAttestationObject, verifyRegistrationResponse } = await webAuthn()
  // What it holds is up to the caller: it may be no map at all.
  const authData = orRefuse(() => decodeAttestationObject(bytesOf(answer.response.attestationObject)).get("authData"))
  await refuseWhatUsersCanChange(client, authData, party)
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...answer, clientExtensionResults: {}, response: await withoutAttestation(answer, authData) },
    expectedChallenge: client.challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => {
    throw refused()
  })
  if (registrationInfo === undefined || registrationInfo.credential.id !== answer.id) throw refused()
  const { credential, credentialDeviceType, credentialBackedUp, aaguid } = registrationInfo
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: (answer.response.transports ?? []).filter((transport) => /^[a-z-]+$/.test(transport)),
    isMultiDevice: credentialDeviceType === "multiDevice",
    isBackedUp: credentialBackedUp,
    aaguid,
  }
}

/**
 * We do not ask who made the authenticator, so a statement about that is dropped unread. To check one, the library
 * would parse foreign certificates and fetch addresses that they name.
 */
async function withoutAttestation({ response }: CreationAnswer, authData: Bytes) {
  const { isoCBOR } = await webAuthn()
  const none = new Map<string, unknown>([
    ["fmt", "none"],
    ["attStmt", new Map()],
    ["authData", authData],
  ])
  const encoded = isoCBOR.encode(none as Parameters<typeof isoCBOR.encode>[0])
  return {
    clientDataJSON: response.clientDataJSON,
    attestationObject: Buffer.from(encoded).toString("base64url"),
  }
}

export interface KnownPasskey {
  credentialId: string
  publicKey: string
  userHandle: string
  host: string
}

export interface PasskeyUse {
  counter: number
  isMultiDevice: boolean
  isBackedUp: boolean
}

/** Checks everything but the counter, which only tells something once the signature is right: see `use.ts`. */
export async function checkRequest(
  answer: RequestAnswer,
  passkey: KnownPasskey,
  party: RelyingParty,
): Promise<PasskeyUse> {
  const client = readClientData(answer)
  if (passkey.host !== party.id) throw invalid(sentences.passkeyOtherAddress(passkey.host))
  await refuseWhatUsersCanChange(client, bytesOf(answer.response.authenticatorData), party)
  const { userHandle } = answer.response
  if (userHandle && userHandle !== passkey.userHandle) throw refused()
  const { verifyAuthenticationResponse } = await webAuthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...answer,
      clientExtensionResults: {},
      response: { ...answer.response, userHandle: passkey.userHandle },
    },
    expectedChallenge: client.challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: true,
    // Zero is before every count.
    credential: { id: passkey.credentialId, publicKey: bytesOf(passkey.publicKey), counter: 0 },
  }).catch(() => {
    throw refused()
  })
  if (!verified) throw refused()
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo
  return { counter: newCounter, isMultiDevice: credentialDeviceType === "multiDevice", isBackedUp: credentialBackedUp }
}

/** Looked at before the signature: an answer that was tampered with gets one of these sentences, and nothing more. */
async function refuseWhatUsersCanChange(
  { origin, crossOrigin }: ClientData,
  authData: Bytes,
  party: RelyingParty,
): Promise<void> {
  const { parseAuthenticatorData } = await webAuthn()
  const { rpIdHash, flags } = orRefuse(() => parseAuthenticatorData(authData))
  const isForHere = Buffer.from(rpIdHash).equals(hash("sha256", party.id, "buffer"))
  // In a frame of another site, users do not see what they sign in to.
  if (!party.origins.includes(origin) || crossOrigin === true || !isForHere) {
    throw invalid(sentences.passkeyOtherAddress(party.origins[0] ?? ""))
  }
  if (!flags.uv) throw invalid(sentences.passkeyNotVerified)
}

function orRefuse<Result>(read: () => Result): Result {
  try {
    return read()
  } catch {
    throw refused()
  }
}

export function refused(): AppError {
  return invalid(sentences.passkeyRefused)
}

function bytesOf(base64url: string): Bytes {
  return Uint8Array.from(Buffer.from(base64url, "base64url"))
}
