import { type SecondFactorNeeded, type SignInProblem, secondFactorParameter, startPage } from "@envkeep/contract"

const profile = "/user/dashboard"

/**
 * Says why it failed. The login page would send a user who is signed in on, without a word. For others, a login there leads to
 * the page that the visit was for.
 */
export function problemPage(
  problem: SignInProblem,
  { isSignedIn, returnTo = startPage }: { isSignedIn: boolean; returnTo?: string },
): string {
  return isSignedIn
    ? `${profile}?${new URLSearchParams({ problem })}`
    : `/login?${new URLSearchParams({ problem, ...leadingTo(returnTo) })}`
}

/** Where people begin a login themselves. Those who are signed in are sent on to the page. */
export function loginPage(returnTo: string): string {
  const query = new URLSearchParams(leadingTo(returnTo)).toString()
  return query === "" ? "/login" : `/login?${query}`
}

/** Where a login that a provider has checked goes on, in one of these ways, and the page that it then leads to. */
export function secondStepPage(ways: SecondFactorNeeded["secondFactor"], returnTo: string): string {
  const open = Object.entries(ways).flatMap(([way, isOpen]) => (isOpen ? [way] : []))
  return `/login?${new URLSearchParams({ [secondFactorParameter]: open.join("-"), ...leadingTo(returnTo) })}`
}

function leadingTo(returnTo: string): { to?: string } {
  return returnTo === startPage ? {} : { to: returnTo }
}

export function connectedPage(provider: string): string {
  return `${profile}?${new URLSearchParams({ connected: provider })}`
}
