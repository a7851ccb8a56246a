import type { ClientAuth, Configuration, CustomFetch, IDToken } from "openid-client"
import { hourMs } from "../../durations.ts"
import { derivedSecret } from "../../keys/token.ts"
import { isThisMachine, type OidcProvider } from "./settings.ts"

type Library = typeof import("openid-client")

/** Of one request to the provider: the time until its answer is read. */
const defaultTimeoutSeconds = 5
/** By how much the provider's clock may differ from ours. */
const clockToleranceSeconds = 30
/** After this, the provider's addresses are asked for again. */
const knownForMs = hourMs
/** An answer of a provider has a few kilobytes. */
const maxAnswerBytes = 1024 * 1024

/** Why a provider has not said who someone is. */
export class ProviderError extends Error {
  override name = "ProviderError"
  readonly reason: "away" | "refused" | "cancelled"

  constructor(reason: ProviderError["reason"], message: string) {
    super(message)
    this.reason = reason
  }
}

/** What a provider says about a person. Only its issuer and subject are sure to be the same the next time. */
export interface Claims {
  issuer: string
  subject: string
  /** When the person signed in there, in milliseconds, if the provider says so. */
  signedInAt: number | undefined
  [claim: string]: unknown
}

export interface ProviderClient {
  settings: OidcProvider
  /** Where a browser signs in at the provider. All that is secret about the visit comes from the browser's token. */
  address(token: string, visit: { mustSignIn: boolean }): Promise<string>
  /** Whether the browser that came back is the one that was sent. */
  fits(token: string, returned: URLSearchParams): boolean
  /**
   * Who came back. If they had to sign in, they must have done so since then; but some providers, such as Google, neither ask
   * again nor say when they last did. With these, the person who is signed in there has come back.
   */
  redeem(token: string, returned: URLSearchParams, visit: { mustSignInSince: number | undefined }): Promise<Claims>
}

export interface ProviderParts {
  settings: OidcProvider
  publicUrl: URL
  timeoutSeconds?: number | undefined
  warn(error: unknown, what: string): void
}

/**
 * Knows one provider. It is first asked when a person signs in, so that the server starts without it. The library is loaded
 * then, too: most servers never need it.
 */
export function createProviderClient({ settings, publicUrl, timeoutSeconds, warn }: ProviderParts): ProviderClient {
  const callback = new URL(`/api/sign-in/${settings.name}/callback`, publicUrl).href
  const discovered = discovery(settings, timeoutSeconds ?? defaultTimeoutSeconds)

  async function ask<Result>(work: (oidc: Library, known: Configuration) => Promise<Result>): Promise<Result> {
    // Outside of the try: a library that cannot be loaded is no failure of the provider.
    const oidc = await import("openid-client")
    try {
      return await work(oidc, await discovered.known(oidc))
    } catch (error) {
      if (!isItsOwnAnswer(oidc, error)) discovered.forget()
      const failure = asProviderError(oidc, error)
      if (failure.reason !== "cancelled") warn(failure, `the sign-in provider ${settings.name} failed`)
      throw failure
    }
  }

  return {
    settings,
    address: (token, { mustSignIn }) =>
      ask(async (oidc, known) => {
        const parameters = {
          redirect_uri: callback,
          scope: settings.scopes.join(" "),
          state: derivedSecret(token, "state"),
          nonce: derivedSecret(token, "nonce"),
          code_challenge: await oidc.calculatePKCECodeChallenge(derivedSecret(token, "code verifier")),
          code_challenge_method: "S256",
          ...(mustSignIn ? { prompt: "login", max_age: "0" } : {}),
        }
        return oidc.buildAuthorizationUrl(known, parameters).href
      }),
    fits: (token, returned) => returned.get("state") === derivedSecret(token, "state"),
    redeem: (token, returned, { mustSignInSince }) =>
      ask(async (oidc, known) => {
        const answer = await oidc.authorizationCodeGrant(known, new URL(`${callback}?${returned}`), {
          expectedState: derivedSecret(token, "state"),
          expectedNonce: derivedSecret(token, "nonce"),
          pkceCodeVerifier: derivedSecret(token, "code verifier"),
        })
        const proven = answer.claims()
        if (proven === undefined || !/^[\x20-\x7e]{1,255}$/.test(proven.sub)) {
          throw new ProviderError("refused", "the provider named no one")
        }
        const signedInAt = timeOf(proven)
        if (mustSignInSince !== undefined && isBefore(signedInAt, mustSignInSince)) {
          throw new ProviderError("refused", "the provider has not asked the person to sign in")
        }
        const told = await moreAbout(proven, settings, () => userInfo(oidc, known, answer.access_token, proven.sub))
        return { ...told, ...proven, ...emailIn(proven, told), issuer: proven.iss, subject: proven.sub, signedInAt }
      }),
  }
}

/** Of the sign-in. Only the token proves it. */
function timeOf({ auth_time: seconds }: IDToken): number | undefined {
  return seconds === undefined ? undefined : Math.floor(seconds * 1_000)
}

function isBefore(signedInAt: number | undefined, since: number): boolean {
  return signedInAt !== undefined && signedInAt + clockToleranceSeconds * 1_000 < since
}

/**
 * Some providers tell about the person in the token, others only when they are asked, and Okta some of it here and there. Only
 * new accounts need to know that the address is verified: if just that is missing, others sign in although asking failed.
 */
async function moreAbout(proven: Told, { teamClaim }: OidcProvider, ask: () => Promise<Told>): Promise<Told> {
  const lacks = (claim: string | undefined) => claim !== undefined && proven[claim] === undefined
  if (lacks("email") || lacks(teamClaim)) return ask()
  return lacks("email_verified") ? ask().catch(() => ({})) : {}
}

/** The address with what the same answer says about it: the other one may be about another address. */
function emailIn(proven: Told, told: Told): Told {
  const isTold =
    proven["email"] === undefined || (proven["email_verified"] === undefined && proven["email"] === told["email"])
  const { email, email_verified } = isTold ? told : proven
  return { email, email_verified }
}

type Told = Readonly<Record<string, unknown>>

async function userInfo(oidc: Library, known: Configuration, accessToken: string, subject: string): Promise<Told> {
  if (known.serverMetadata().userinfo_endpoint === undefined) return {}
  return oidc.fetchUserInfo(known, accessToken, subject)
}

interface Discovery {
  known(oidc: Library): Promise<Configuration>
  /** The next who signs in asks again, for the keys too. */
  forget(): void
}

/** Asks the provider for its addresses once for all who sign in now. A failure is not kept: the next one asks again. */
function discovery(settings: OidcProvider, timeoutSeconds: number): Discovery {
  let last: { configuration: Promise<Configuration>; until: number } | undefined
  return {
    known(oidc) {
      if (last !== undefined && Date.now() < last.until) return last.configuration
      const configuration = discover(oidc, settings, timeoutSeconds)
      const asked = { configuration, until: Date.now() + knownForMs }
      last = asked
      configuration.catch(() => {
        if (last === asked) last = undefined
      })
      return configuration
    },
    forget() {
      last = undefined
    },
  }
}

function discover(
  oidc: Library,
  { issuer, clientId, clientSecret }: OidcProvider,
  timeoutSeconds: number,
): Promise<Configuration> {
  const metadata = { client_secret: clientSecret, [oidc.clockTolerance]: clockToleranceSeconds }
  return oidc.discovery(issuer, clientId, metadata, authentication(oidc, clientSecret), {
    timeout: timeoutSeconds,
    [oidc.customFetch]: fetchBounded,
    execute: [
      // The signature is checked although the token comes from the provider itself: a proxy in between is no proof.
      oidc.enableNonRepudiationChecks,
      ...(issuer.protocol === "http:" && isThisMachine(issuer.hostname) ? [oidc.allowInsecureRequests] : []),
    ],
  })
}

/** The way that the specification makes the default, unless the provider says that it only takes the other one. */
function authentication(oidc: Library, clientSecret: string): ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)]
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server
    return methods.includes("client_secret_basic") ? basic(server, ...rest) : post(server, ...rest)
  }
}

/** The whole answer, unless it is too long to be one. */
const fetchBounded: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > maxAnswerBytes) throw new ProviderError("refused", "the answer of the provider is too long")
    pieces.push(piece)
  }
  const { status, headers } = response
  const isEmpty = status === 204 || status === 304
  return new Response(isEmpty ? null : Buffer.concat(pieces), { status, headers })
}

/** Whether the provider has said no, or we have. After any other failure, its addresses or keys may have changed. */
function isItsOwnAnswer(oidc: Library, error: unknown): boolean {
  return (
    error instanceof ProviderError ||
    error instanceof oidc.AuthorizationResponseError ||
    error instanceof oidc.ResponseBodyError
  )
}

/**
 * Keeps of an error what may be written down: its code and the library's own words. Other parts of it quote what the
 * provider sent.
 */
function asProviderError(oidc: Library, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error
  if (error instanceof oidc.AuthorizationResponseError) {
    const isCancelled = error.error === "access_denied" || error.error === "login_required"
    return new ProviderError(isCancelled ? "cancelled" : "refused", "the provider answered with an error")
  }
  const { code, message = "", cause } = error as { code?: string; message?: string; cause?: { code?: string } }
  if (error instanceof oidc.ResponseBodyError) {
    const answered = /^[a-z_]{1,40}$/.test(error.error) ? error.error : "an error"
    return new ProviderError("refused", `the provider answered with ${answered}`)
  }
  if (isUnreachable(error, code))
    return new ProviderError("away", `${code ?? "unreachable"}: ${cause?.code ?? message}`)
  return new ProviderError("refused", `${code}: ${message}`)
}

/** A request that got no answer, or one that no provider gives: a proxy's page, an error of a server. */
function isUnreachable(error: unknown, code: string | undefined): boolean {
  if (code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT") return true
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM" || code === "OAUTH_RESPONSE_IS_NOT_JSON") return true
  return error instanceof TypeError && code === undefined
}
