import { sentences, users } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import { announceSession } from "../../lib/other-tabs.ts"
import { startSession } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

/** Signs in and remembers the user; the guard around the login page then leads on. */
export function useLogin() {
  const client = useQueryClient()
  const login = useWrite(users.login, { blank: sentences.invalidCredentials })
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
