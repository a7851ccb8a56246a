import { type SignInProblem, signInProblems } from "@envkeep/contract"

/** What the address of a page says about a visit to a sign-in provider. Only our own sentences are shown. */
export function signInProblem(search: string): string | undefined {
  const problem = new URLSearchParams(search).get("problem") ?? ""
  return Object.hasOwn(signInProblems, problem) ? signInProblems[problem as SignInProblem] : undefined
}
