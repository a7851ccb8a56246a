import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { startPage } from "./pages.ts"
import { sentences } from "./sentences.ts"
import { fields, id, text } from "./text.ts"

// People can sign in with an account that they have at a provider of OpenID Connect. The operator of the server chooses
// the providers. A browser goes to a provider and comes back by addresses that answer with a redirect, so these are no calls:
// they are in `signInAddress`.

/** A provider that people can sign in with. */
export const SignInProvider = z.object({
  /** As the addresses spell it. */
  name: z.string(),
  /** As people know it. */
  label: z.string(),
  /** Whether a person without an account gets one. */
  mayRegister: z.boolean(),
})
export type SignInProvider = z.output<typeof SignInProvider>

/** An account at a provider that signs in to the caller's account. */
export const Identity = z.object({
  id: z.number(),
  /** Null if the server no longer has this provider. */
  provider: z.string().nullable(),
  /** The provider, as people know it. */
  label: z.string(),
  /** As the provider told it when the two were connected; empty if it told none. */
  email: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  /** Of the last sign-in, in ISO 8601; null if there was none. */
  lastUsedAt: z.string().nullable(),
})
export type Identity = z.output<typeof Identity>

/** Where a browser goes to sign in with a provider. `to` is the page to show afterwards. */
export function signInAddress(provider: string, to: string): string {
  return `/api/sign-in/${provider}${to === startPage ? "" : `?${new URLSearchParams({ to })}`}`
}

/** The ways to finish a login, as the address of the login page lists them after a provider has checked the person. */
export const secondFactorParameter = "second-factor"

/** Why a browser came back from a provider without having done what it went there for, as our page's address says it. */
export const signInProblems = {
  cancelled: "You cancelled the sign-in at the provider",
  expired: "This sign-in has expired, was finished already, or was begun in another browser. Please try again",
  away: "The sign-in provider cannot be reached right now. Please try again later, or log in in another way",
  refused:
    "The answer of the sign-in provider was not valid, so nothing was done. Please tell the administrator of this server",
  unverified: "The sign-in provider does not confirm your email address. Please verify it there, then try again",
  domain: "Email addresses of this domain cannot be used to sign in here",
  taken:
    "There is already an account with your email address. Please log in to it first, then connect the provider in your profile",
  "no-account": "You have no account on this server, and this provider cannot be used to make one",
  disabled: sentences.accountDisabled,
  "connected-elsewhere": "This account at the provider is connected to another user of this server",
  "too-many": `An account can be connected to at most ${limits.identitiesPerAccount} accounts at providers`,
  "other-account": "You signed in at the provider with another account. Please use the one that is connected",
  "not-asked":
    "The sign-in provider does not say whether it asked you again, so nothing was confirmed. Please log out, log in again and repeat what you wanted to do",
  "session-ended": "Your session ended before you came back from the provider. Please log in and try again",
  busy: "Too many sign-ins from your network. Please try again in a few minutes",
  failed: sentences.ourFault,
} as const
export type SignInProblem = keyof typeof signInProblems

const provider = text({ label: "Provider", max: limits.providerName, required: "Please choose a provider" })

const Departure = z.object({
  /** Where to send the browser. It goes on to the provider from there. */
  address: z.string(),
})

export const identities = {
  providers: call({
    access: "anyone",
    method: "GET",
    path: "/users/sign-in-providers",
    summary:
      "The providers that people can sign in with. A browser begins at `/api/sign-in/{name}`, which redirects to the provider; if a page of another site sends it there, to the login page.",
    input: fields({}),
    output: z.array(SignInProvider),
    done: "OK",
  }),
  list: call({
    access: "user",
    token: "never",
    beforeFactor: true,
    method: "GET",
    path: "/users/me/identities",
    summary: "The accounts at providers that sign in to the caller's account, and whether it has a password.",
    input: fields({}),
    output: z.object({ hasPassword: z.boolean(), identities: z.array(Identity) }),
    done: "OK",
  }),
  connect: call({
    access: "user",
    token: "never",
    confirm: true,
    method: "POST",
    path: "/users/me/identities",
    summary:
      "Begins to connect the caller's account with one at a provider. Sets a cookie; send the browser to the address in the answer.",
    input: fields({ provider }),
    output: Departure,
    done: "Sign in at the provider to connect it",
  }),
  disconnect: call({
    access: "user",
    token: "never",
    confirm: true,
    method: "DELETE",
    path: "/users/me/identities/{id}",
    summary:
      "Disconnects an account at a provider from the caller's account. Refused if there would be no other way to sign in.",
    input: fields({ id }),
    output: z.null(),
    done: "Account disconnected successfully",
  }),
  confirm: call({
    access: "user",
    token: "never",
    beforeFactor: true,
    method: "POST",
    path: "/users/me/confirm/provider",
    summary:
      "Begins to confirm that the caller is still there, by signing in at a connected provider again. For accounts without a password. Sets a cookie; send the browser to the address in the answer. It comes back to the page `to`.",
    input: fields({ provider, to: text({ label: "Page", max: limits.pagePath }) }),
    output: Departure,
    done: "Sign in at the provider again",
  }),
}
