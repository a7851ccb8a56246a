import { pageAfter, type SignInProblem, sentences } from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import type { UserCaller, Visitor } from "../../access/caller.ts"
import type { Site } from "../../access/site.ts"
import type { Core } from "../../core/core.ts"
import { isDuplicate } from "../../db/faults.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import { factorsOf, hasFactor } from "../second-factors/pending.ts"
import type { Refusals } from "../users/refusals.ts"
import { insertAccount, lockForSignIn, loginByProvider } from "../users/rules.ts"
import { confirmSession } from "../users/sessions/rules.ts"
import { connectedPage, problemPage, secondStepPage } from "./pages.ts"
import { allowedEmail, toldEmail, usernameOf } from "./person.ts"
import { type Claims, type ProviderClient, ProviderError } from "./provider.ts"
import { maxIdentities, type Providers } from "./rules.ts"
import * as store from "./store.ts"
import { followTeamClaim } from "./teams.ts"
import { beginVisit, endVisit, purposeOf } from "./visits.ts"

/** Why a browser comes back without what it went for. */
class SignInError extends Error {
  override name = "SignInError"
  readonly problem: SignInProblem

  constructor(problem: SignInProblem) {
    super(problem)
    this.problem = problem
  }
}

export interface SignInParts {
  core: Core
  providers: Providers
  refusals: Refusals
  site: Site
}

/** Where a browser goes, and the token of its visit. */
export interface Departure {
  address: string
  token: string
}

export async function departToSignIn(
  { core, providers }: SignInParts,
  caller: Visitor,
  { provider, to }: { provider: string; to: string | null },
): Promise<Departure> {
  const client = clientOf(providers, provider)
  const visit = { provider, purpose: "sign-in", sessionId: null, returnTo: pageAfter(to) } as const
  const { token } = await beginVisit(core, caller, visit)
  return { token, address: await client.address(token, { mustSignIn: false }) }
}

/** For a visit that a call has begun. */
export async function depart(
  { core, providers }: SignInParts,
  { provider, token }: { provider: string; token: string | undefined },
): Promise<string> {
  const client = clientOf(providers, provider)
  const purpose = token === undefined ? undefined : await purposeOf(core, provider, token)
  if (token === undefined || purpose === undefined) throw new SignInError("expired")
  return client.address(token, { mustSignIn: purpose === "confirm" })
}

function clientOf(providers: Providers, name: string): ProviderClient {
  const client = providers.get(name)
  if (client === undefined) throw new SignInError("expired")
  return client
}

/** Where a browser that has come back goes next, and the session that begins, if one does. */
export interface Arrival {
  address: string
  session?: { token: string; device: string }
  /** The token of a login that waits for its second factor. */
  pending?: string
}

interface Returned {
  provider: string
  token: string | undefined
  query: URLSearchParams
}

export async function arrive(
  parts: SignInParts,
  caller: Visitor,
  { provider, token, query }: Returned,
): Promise<Arrival> {
  const { core, providers } = parts
  const client = clientOf(providers, provider)
  // First, so that no link of another site can end a visit that is under way.
  if (token === undefined || !client.fits(token, query)) throw new SignInError("expired")
  const visit = await endVisit(core, provider, token)
  if (visit === undefined) throw new SignInError("expired")
  try {
    const mustSignInSince = visit.purpose === "confirm" ? visit.createdAt : undefined
    const claims = await client.redeem(token, query, { mustSignInSince })
    if (visit.purpose === "connect") return await connect(core, client, { caller, visit, claims })
    if (visit.purpose === "confirm") return await confirm(core, client, { caller, visit, claims })
    return await signIn(parts, client, { caller, visit, claims })
  } catch (error) {
    const problem = problemOf(error)
    if (problem === "failed") throw error
    const isSignedIn = visit.purpose !== "sign-in" || caller.kind === "user"
    return { address: problemPage(problem, { isSignedIn, returnTo: visit.returnTo }) }
  }
}

interface Arrived {
  caller: Visitor
  visit: store.Visit
  claims: Claims
}

async function signIn(
  { core, refusals, site }: SignInParts,
  { settings }: ProviderClient,
  { caller, visit, claims }: Arrived,
): Promise<Arrival> {
  const { teamClaim, isTwoFactors } = settings
  const identity = (await store.findIdentity(core.db, claims)) ?? (await register(core, settings, caller, claims))
  // A provider may send people back without asking them, because they have signed in there before. Some say when.
  const confirmedAt = claims.signedInAt ?? Date.now()
  const login = await loginByProvider({ core, refusals, site }, caller, {
    userId: identity.userId,
    isTwoFactors,
    confirmedAt,
    within: (tx) => refuseDisconnected(tx, claims, identity),
  })
  if (login === undefined) throw new SignInError("expired")
  await core.bookkeep((tx) => store.setLastUsed(tx, identity.id, Date.now()))
  if (teamClaim !== undefined) await followTeamClaim(core, identity, { claims, claim: teamClaim })
  if (!("pending" in login)) return { address: visit.returnTo, session: login }
  const { token, ways } = login.pending
  return { address: secondStepPage(ways, visit.returnTo), pending: token }
}

/** Since it was looked up, its owner may have disconnected it, to keep its holder out. */
async function refuseDisconnected(tx: Tx, claims: Claims, { id }: store.IdentityRow): Promise<void> {
  if ((await store.findIdentity(tx, claims))?.id !== id) throw new SignInError("expired")
}

/** Makes an account for a person who has none. One with the same e-mail is not theirs until they sign in to it. */
async function register(
  core: Core,
  settings: ProviderClient["settings"],
  caller: Visitor,
  claims: Claims,
): Promise<store.IdentityRow> {
  const { issuer, subject } = claims
  if (!settings.mayRegister) throw new SignInError("no-account")
  const email = checkedEmail(claims, settings)
  await attempts.countRegistration(core, caller.address)
  try {
    return await core.change(caller, "account.create", async (tx, notes) => {
      const { id: userId } = await insertAccount(tx, { username: usernameOf(claims, email), email })
      const { id } = await store.insertIdentity(tx, userId, { issuer, subject, email, lastUsedAt: null })
      notes.about({ userId })
      notes.also("identity.connect", { userId })
      return { id, userId }
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    // The same person came back in another tab at the same moment.
    const identity = await store.findIdentity(core.db, claims)
    if (identity === undefined) throw new SignInError("taken")
    return identity
  }
}

function checkedEmail(claims: Claims, settings: ProviderClient["settings"]): string {
  const email = allowedEmail(claims, settings)
  if (email === "unverified" || email === "domain") throw new SignInError(email)
  return email
}

async function connect(core: Core, { settings }: ProviderClient, { caller, visit, claims }: Arrived): Promise<Arrival> {
  const { issuer, subject } = claims
  const user = sameUser(caller, visit)
  const email = settings.domains.length === 0 ? toldEmail(claims) : checkedEmail(claims, settings)
  const done = { address: connectedPage(settings.name) }
  const known = await store.findIdentity(core.db, claims)
  if (known?.userId === user.userId) return done
  if (known !== undefined) throw new SignInError("connected-elsewhere")
  try {
    await core.change(user, "identity.connect", async (tx, notes) => {
      await lockForSignIn(tx, user.userId)
      const all = await store.identitiesOf(tx, user.userId)
      if (all.length >= maxIdentities) throw new SignInError("too-many")
      await store.insertIdentity(tx, user.userId, { issuer, subject, email, lastUsedAt: null })
      notes.about({ userId: user.userId })
    })
  } catch (error) {
    throw isDuplicate(error) ? new SignInError("connected-elsewhere") : error
  }
  return done
}

/** The user of the session has signed in at the provider again, with an account that is connected with theirs. */
async function confirm(core: Core, { settings }: ProviderClient, { caller, visit, claims }: Arrived): Promise<Arrival> {
  const user = sameUser(caller, visit)
  const known = await store.findIdentity(core.db, claims)
  if (known?.userId !== user.userId) throw new SignInError("other-account")
  // A login would ask for the second factor now. So the provider must at least have asked the person.
  const isAskedAtLogin = !settings.isTwoFactors && hasFactor(await factorsOf(core.db, user.userId))
  if (isAskedAtLogin && claims.signedInAt === undefined) throw new SignInError("not-asked")
  await confirmSession(core, user)
  return { address: visit.returnTo }
}

/** The user in whose session the visit was begun. */
function sameUser(caller: Visitor, { sessionId }: store.Visit): UserCaller {
  if (caller.kind !== "user" || caller.sessionId !== sessionId) throw new SignInError("session-ended")
  return caller
}

/** The page that tells why it failed before it is known what for. */
export function pageOfFailure(error: unknown, caller: Visitor | undefined): { address: string; isOurFault: boolean } {
  const problem = problemOf(error)
  const address = problemPage(problem, { isSignedIn: caller?.kind === "user" })
  return { address, isOurFault: problem === "failed" }
}

function problemOf(error: unknown): SignInProblem {
  if (error instanceof SignInError) return error.problem
  if (error instanceof ProviderError) return error.reason
  if (!(error instanceof AppError)) return "failed"
  if (error.code === "too_many") return "busy"
  return error.message === sentences.accountDisabled ? "disabled" : "failed"
}
