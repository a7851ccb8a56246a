import { sentences, users } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import { announceSession } from "../../lib/other-tabs.ts"
import { startSession } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

/** Signs in and stores the user. The guard around the login page then redirects. */
export function useLogin() {
  const client = useQueryClient()
  const login = useWrite(users.login, { fallback: sentences.invalidCredentials })
  return async (input: { email: string; password: string }) => {
    const done = await login(input)
    if (done === undefined) return
    startSession(client, done.data)
    announceSession()
  }
}

export function useRegister() {
  return useWrite(users.register)
}
