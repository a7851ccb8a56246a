import {
  type Call,
  type InputOf,
  identities,
  mailCalls,
  type OutputOf,
  type SecondFactorNeeded,
  secondFactors,
  sentences,
  type User,
  users,
} from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { announceSession } from "../../lib/other-tabs.ts"
import { endSession, keys, startSession } from "../../lib/state.ts"
import { type OnRefused, useWrite } from "../../lib/write.ts"

export type SecondFactorWays = SecondFactorNeeded["secondFactor"]

/**
 * Signs in and stores the user. The guard around the login page then redirects. If the account has a second factor,
 * `onSecondFactor` is told which of them can finish the login of this email.
 */
export function useLogin(onSecondFactor: (ways: SecondFactorWays, email: string) => unknown) {
  const login = useSignIn(users.login)
  return async (input: { email: string; password: string }, onRefused?: OnRefused) => {
    let needed: SecondFactorWays | undefined
    await login(input, (sentence, conflicts, error) => {
      needed = error.secondFactor
      if (needed === undefined) onRefused?.(sentence, conflicts, error)
    })
    if (needed !== undefined) await onSecondFactor(needed, input.email)
  }
}

/** A call that begins a session. */
type SignIn = Call & { output: typeof users.login.output }

/** Finishes a login, or the first step of one. `onExpired`: it has to begin again. */
export function useSignIn<C extends SignIn>(call: C, onExpired?: () => void) {
  const client = useQueryClient()
  const signIn = useWrite(call, { fallback: sentences.invalidCredentials })
  return async (input: InputOf<C>, onRefused?: OnRefused): Promise<{ data: OutputOf<C> } | undefined> => {
    const done = await signIn(input, (sentence, conflicts, error) => {
      onRefused?.(sentence, conflicts, error)
      if (sentence === sentences.signInExpired) onExpired?.()
    })
    if (done === undefined) return undefined
    startSession(client, done.data as User)
    announceSession()
    return done
  }
}

export function useLinkSignIn() {
  return useSignIn(secondFactors.signInWithLink)
}

/** What was refused until now succeeds, and shows that. */
export function useConfirm() {
  return useWrite(users.confirm, { quiet: true })
}

/** The accounts at providers that the user can confirm with. */
export function useConnected() {
  return useQuery({ queryKey: keys.identities, queryFn: () => api(identities.list, {}) })
}

/** The browser leaves the page for the provider, and comes back to it. */
export function useConfirmAtProvider() {
  const confirm = useWrite(identities.confirm, { quiet: true })
  return async (provider: string) => {
    const done = await confirm({ provider, to: `${location.pathname}${location.search}` })
    if (done !== undefined) location.assign(done.data.address)
  }
}

export function useRegister() {
  return useWrite(users.register)
}

export function useForgotPassword() {
  return useWrite(mailCalls.users.forgotPassword)
}

/** Whether a reset link can be used. The token is a secret, so the key of the cache names the visit instead. */
export function useResetLink(visit: string, token: string) {
  return useQuery({
    queryKey: keys.resetLink(visit),
    queryFn: () => api(users.checkResetLink, { token }),
    // For guests too.
    enabled: true,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** Sets the new password. The server has then ended the session of this browser too. */
export function useResetPassword() {
  const client = useQueryClient()
  const reset = useWrite(users.resetPassword)
  return async (input: { token: string; password: string; password2: string }, onRefused?: OnRefused) => {
    const done = await reset(input, onRefused)
    if (done === undefined) return undefined
    endSession(client)
    announceSession()
    return done
  }
}
