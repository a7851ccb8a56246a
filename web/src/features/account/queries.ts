import { collections, sessions, tokens, users } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { announceSession } from "../../lib/other-tabs.ts"
import { endSession, keys, startSession } from "../../lib/state.ts"
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

export function useSessions() {
  return useQuery({ queryKey: keys.sessions, queryFn: () => api(sessions.list, {}) })
}

export function useEndSession() {
  const client = useQueryClient()
  return useWrite(sessions.end, { reload: () => client.invalidateQueries({ queryKey: keys.sessions }) })
}

export function useEndOtherSessions() {
  const client = useQueryClient()
  return useWrite(sessions.endOthers, { reload: () => client.invalidateQueries({ queryKey: keys.sessions }) })
}

export function useTokens() {
  return useQuery({ queryKey: keys.tokens, queryFn: () => api(tokens.list, {}) })
}

export function useCreateToken() {
  const client = useQueryClient()
  return useWrite(tokens.create, { reload: () => client.invalidateQueries({ queryKey: keys.tokens }) })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useWrite(tokens.revoke, { reload: () => client.invalidateQueries({ queryKey: keys.tokens }) })
}

/** The collections that a token can be limited to. */
export function useCollectionNames() {
  return useQuery({ queryKey: keys.collections, queryFn: () => api(collections.list, {}) })
}

export function useDeletion() {
  return useQuery({ queryKey: keys.deletion, queryFn: () => api(users.deletion, {}), gcTime: 0 })
}

/** Afterwards the guards show the login page. */
export function useDeleteAccount() {
  const client = useQueryClient()
  const remove = useWrite(users.deleteAccount)
  return async (input: { password: string }, onRefused?: OnRefused) => {
    const done = await remove(input, onRefused)
    if (done === undefined) return undefined
    endSession(client)
    announceSession()
    return done
  }
}
