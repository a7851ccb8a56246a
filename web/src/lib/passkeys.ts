import {
  type CreationAnswer,
  type PasskeyCreation,
  type PasskeyRequest,
  type RequestAnswer,
  sentences,
} from "@envkeep/contract"
import type { AuthenticationResponseJSON } from "@simplewebauthn/browser"
import { ApiError } from "./api.ts"
import { minuteMs } from "./durations.ts"

// What the browser does with passkeys. Its part of the library is loaded when it is needed.

const load = () => import("@simplewebauthn/browser")

/** Why this page cannot use passkeys. Undefined if it can. */
export function passkeysMissing(): string | undefined {
  const { hostname } = location
  if (/^[\d.]+$/.test(hostname) || hostname.startsWith("[")) return sentences.passkeysNeedHostName
  if (typeof PublicKeyCredential !== "undefined") return undefined
  return window.isSecureContext === false
    ? "Passkeys need https. Open this server by https, or as localhost"
    : "This browser does not support passkeys"
}

/** Has the user make a passkey. */
export async function createPasskey(ask: () => Promise<PasskeyCreation>): Promise<CreationAnswer> {
  refuseMissing()
  const options = await ask()
  refuseOtherHost(options.rp.id)
  const { startRegistration } = await load()
  const { id, rawId, type, response } = await startRegistration({ optionsJSON: options }).catch(explain)
  const { clientDataJSON, attestationObject, transports } = response
  return {
    id,
    rawId,
    type,
    response: { clientDataJSON, attestationObject, ...(transports === undefined ? {} : { transports }) },
  }
}

/** Has the user answer with a passkey. */
export async function answerWithPasskey(ask: () => Promise<PasskeyRequest>): Promise<RequestAnswer> {
  refuseMissing()
  const options = await ask()
  refuseOtherHost(options.rpId)
  const { startAuthentication } = await load()
  return answerOf(await startAuthentication({ optionsJSON: options }).catch(explain))
}

/** Before a challenge expires, so that an answer to it is not too late. */
const renewMs = 4 * minuteMs

/**
 * Offers passkeys where the browser fills in the e-mail, if it can, until the returned function is called. Nothing is said
 * about a failure: the user has not asked for it, and there is a button too.
 */
export function offerPasskeys(
  ask: () => Promise<PasskeyRequest>,
  onAnswer: (answer: RequestAnswer) => void,
): () => void {
  let isOver = false
  let cancel = () => {}

  async function offer(): Promise<void> {
    const { browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService } = await load()
    if (isOver || !(await browserSupportsWebAuthnAutofill())) return
    const options = await ask()
    if (isOver || options.rpId !== location.hostname) return
    cancel = () => WebAuthnAbortService.cancelCeremony()
    const answer = await startAuthentication({ optionsJSON: options, useBrowserAutofill: true })
    if (!isOver) onAnswer(answerOf(answer))
  }

  const start = () => void offer().catch(() => undefined)
  if (passkeysMissing() !== undefined) return () => {}
  start()
  const renewal = setInterval(start, renewMs)
  return () => {
    isOver = true
    clearInterval(renewal)
    cancel()
  }
}

/** Without what the server does not need. */
function answerOf({ id, rawId, type, response }: AuthenticationResponseJSON): RequestAnswer {
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle: userHandle ?? null } }
}

function refuseMissing(): void {
  const missing = passkeysMissing()
  if (missing !== undefined) throw new ApiError(missing)
}

/** The server is configured for another address. The browser would refuse in words of its own. */
function refuseOtherHost(host: string): void {
  if (host !== location.hostname) throw new ApiError(sentences.passkeyOtherAddress(host))
}

const explanations: Record<string, string> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: "This device or security key has a passkey for your account already",
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT:
    "This security key cannot store passkeys. Use another one",
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT: sentences.passkeyNotVerified,
}

/** Browsers do not tell whether the user has cancelled, has waited for too long, or has no passkey. */
function explain(error: unknown): never {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  throw new ApiError(explanations[code] ?? "No passkey was used. Try again, or use another way")
}
