import { type SecondFactorNeeded, type SignInProblem, secondFactorParameter, startPage } from "@envkeep/contract"

const profile = "/user/dashboard"

export function loginPage(problem: SignInProblem): string {
  return `/login?problem=${problem}`
}

/** Where a login that a provider has checked goes on, in one of these ways, and the page that it then leads to. */
export function secondStepPage(ways: SecondFactorNeeded["secondFactor"], returnTo: string): string {
  const open = Object.entries(ways).flatMap(([way, isOpen]) => (isOpen ? [way] : []))
  const to = returnTo === startPage ? {} : { to: returnTo }
  return `/login?${new URLSearchParams({ [secondFactorParameter]: open.join("-"), ...to })}`
}

export function profilePage(outcome: { problem: SignInProblem } | { connected: string }): string {
  return `${profile}?${new URLSearchParams(outcome)}`
}
