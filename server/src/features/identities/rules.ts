import {
  type Identity,
  type InputOf,
  type identities,
  limits,
  type OutputOf,
  pageAfter,
  type SignInProvider,
  sentences,
} from "@envkeep/contract"
import { sessionOf, type UserCaller } from "../../access/caller.ts"
import { hasPassword } from "../../access/has-password.ts"
import type { Site } from "../../access/site.ts"
import type { Core } from "../../core/core.ts"
import type { Reader } from "../../db/schema.ts"
import { conflict, invalid, notFound } from "../../errors.ts"
import { isoTime } from "../../iso-time.ts"
import { canUsePasskey } from "../second-factors/passkey-hosts.ts"
import { leaveFilledTeam } from "../teams/rules.ts"
import { lockForSignIn } from "../users/rules.ts"
import type { ProviderClient } from "./provider.ts"
import type { OidcProvider } from "./settings.ts"
import * as store from "./store.ts"
import { beginVisit, type VisitStart } from "./visits.ts"

/** What everyone may know about a provider. */
export function publicProvider({ name, label, mayRegister }: OidcProvider): SignInProvider {
  return { name, label, mayRegister }
}

/** By name, in the order of the settings. */
export type Providers = ReadonlyMap<string, ProviderClient>

export function listProviders(providers: Providers): OutputOf<typeof identities.providers> {
  return [...providers.values()].map(({ settings }) => publicProvider(settings))
}

export function listIdentities(
  core: Core,
  providers: Providers,
  { userId }: UserCaller,
): Promise<OutputOf<typeof identities.list>> {
  return core.snapshot(async (snapshot) => ({
    hasPassword: await hasPassword(snapshot, userId),
    identities: (await store.identitiesOf(snapshot, userId)).map((row) => listed(providers, row)),
  }))
}

function listed(providers: Providers, { id, issuer, email, createdAt, lastUsedAt }: store.ListedIdentity): Identity {
  const provider = providerOf(providers, issuer)
  return {
    id,
    provider: provider?.settings.name ?? null,
    label: provider?.settings.label ?? hostOf(issuer),
    email,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
  }
}

function providerOf(providers: Providers, issuer: string): ProviderClient | undefined {
  const href = URL.canParse(issuer) ? new URL(issuer).href : issuer
  return [...providers.values()].find(({ settings }) => settings.issuer.href === href)
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer
}

/** The caller's browser may go to the provider, and what it brings back is for this session. */
export function beginConnecting(
  core: Core,
  providers: Providers,
  caller: UserCaller,
  { provider }: InputOf<typeof identities.connect>,
): Promise<VisitStart> {
  if (!providers.has(provider)) throw invalid(sentences.providerUnknown)
  return beginVisit(core, caller, { provider, purpose: "connect", sessionId: sessionOf(caller), returnTo: "" })
}

export function disconnect(
  { core, providers, site }: { core: Core; providers: Providers; site: Site },
  caller: UserCaller,
  { id }: InputOf<typeof identities.disconnect>,
): Promise<null> {
  const { userId } = caller
  return core.change(caller, "identity.disconnect", async (tx, notes) => {
    // Before the account is locked: a team is locked before its members wherever both are.
    for (const teamId of await store.givenTeamIds(tx, { userId, id }))
      await leaveFilledTeam(tx, notes, { teamId, userId })
    await lockForSignIn(tx, userId)
    const all = await store.identitiesOf(tx, userId)
    if (!all.some((one) => one.id === id)) throw notFound("Connected account")
    const others = all.filter((one) => one.id !== id && providerOf(providers, one.issuer) !== undefined)
    const hasOtherWay =
      others.length > 0 || (await hasPassword(tx, userId)) || (await canUsePasskey(tx, userId, site.publicOrigin))
    if (!hasOtherWay) throw conflict(sentences.lastWayToSignIn("disconnect"))
    await store.deleteIdentity(tx, userId, id)
    notes.about({ userId })
    return null
  })
}

/** Whether a provider can sign the user in. One that is no longer configured cannot. */
export async function hasIdentity(db: Reader, providers: Providers, userId: number): Promise<boolean> {
  return (await store.identitiesOf(db, userId)).some(({ issuer }) => providerOf(providers, issuer) !== undefined)
}

/**
 * The same, to sign in there again. Not if there is a password: a provider that sends the browser straight back shows less than
 * that does.
 */
export async function beginConfirming(
  core: Core,
  providers: Providers,
  caller: UserCaller,
  { provider, to }: InputOf<typeof identities.confirm>,
): Promise<VisitStart> {
  if (!providers.has(provider)) throw invalid(sentences.providerUnknown)
  if (await hasPassword(core.db, caller.userId)) throw invalid(sentences.confirmWithPassword)
  const returnTo = pageAfter(to)
  return beginVisit(core, caller, { provider, purpose: "confirm", sessionId: sessionOf(caller), returnTo })
}

export const maxIdentities = limits.identitiesPerAccount
