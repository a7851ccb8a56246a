import { limits, type SecondFactorNeeded, type SignInProblem, secondFactorParameter } from "@envkeep/contract"

const profile = "/user/dashboard"
const start = "/collection/dashboard"

/** A page of ours to show after a sign-in. Anything else, such as an address of another site, is the start page. */
export function pageAfter(wanted: string | null): string {
  if (wanted === null || wanted.length > limits.pagePath || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted)) return start
  const base = "http://page.invalid"
  const { origin, pathname, search, hash } = new URL(wanted, base)
  const isPage = origin === base && !/^\/api(\/|$)/i.test(pathname) && !pathname.startsWith("//")
  return isPage ? `${pathname}${search}${hash}` : start
}

export function loginPage(problem: SignInProblem): string {
  return `/login?problem=${problem}`
}

/** Where a login that a provider has checked goes on, in one of these ways. */
export function secondStepPage(ways: SecondFactorNeeded["secondFactor"]): string {
  const open = Object.entries(ways).flatMap(([way, isOpen]) => (isOpen ? [way] : []))
  return `/login?${secondFactorParameter}=${open.join("-")}`
}

export function profilePage(outcome: { problem: SignInProblem } | { connected: string }): string {
  return `${profile}?${new URLSearchParams(outcome)}`
}
