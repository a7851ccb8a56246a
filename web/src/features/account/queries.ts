import { users } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { keys, startSession } from "../../lib/state.ts"
import { type OnRefused, useWrite } from "../../lib/write.ts"

export function useUpdateUser() {
  const client = useQueryClient()
  const update = useWrite(users.update)
  return async (input: { username: string; email: string }, onRefused?: OnRefused) => {
    const done = await update(input, onRefused)
    if (done !== undefined) startSession(client, done.data)
    return done
  }
}

export function useChangePassword() {
  return useWrite(users.changePassword)
}

export function useStorage() {
  return useQuery({ queryKey: keys.storage, queryFn: () => api(users.storage, {}) })
}
