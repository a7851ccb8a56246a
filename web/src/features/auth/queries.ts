import { sentences, users } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { announceSession } from "../../lib/other-tabs.ts"
import { endSession, keys, startSession } from "../../lib/state.ts"
import { type OnRefused, useWrite } from "../../lib/write.ts"

/** Signs in and stores the user. The guard around the login page then redirects. */
export function useLogin() {
  const client = useQueryClient()
  const login = useWrite(users.login, { fallback: sentences.invalidCredentials })
  return async (input: { email: string; password: string }, onRefused?: OnRefused) => {
    const done = await login(input, onRefused)
    if (done === undefined) return
    startSession(client, done.data)
    announceSession()
  }
}

export function useRegister() {
  return useWrite(users.register)
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
  return async (input: { token: string; password: string; password2: string }) => {
    const done = await reset(input)
    if (done === undefined) return undefined
    endSession(client)
    announceSession()
    return done
  }
}
