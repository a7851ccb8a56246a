import { type SecondFactorNeeded, type SignInProblem, secondFactorParameter, startPage } from "@envkeep/contract"

const profile = "/user/dashboard"

/** Says why a login failed. Another try leads to the page that this one was for. */
export function loginPage(problem: SignInProblem, returnTo = startPage): string {
  return `/login?${new URLSearchParams({ problem, ...leadingTo(returnTo) })}`
}

/** Where a login that a provider has checked goes on, in one of these ways, and the page that it then leads to. */
export function secondStepPage(ways: SecondFactorNeeded["secondFactor"], returnTo: string): string {
  const open = Object.entries(ways).flatMap(([way, isOpen]) => (isOpen ? [way] : []))
  return `/login?${new URLSearchParams({ [secondFactorParameter]: open.join("-"), ...leadingTo(returnTo) })}`
}

function leadingTo(returnTo: string): { to?: string } {
  return returnTo === startPage ? {} : { to: returnTo }
}

export function profilePage(outcome: { problem: SignInProblem } | { connected: string }): string {
  return `${profile}?${new URLSearchParams(outcome)}`
}
