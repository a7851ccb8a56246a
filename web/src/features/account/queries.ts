import { collections, type InputOf, identities, sessions, tokens, users } from "@envkeep/contract"
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
  const client = useQueryClient()
  // It ends the other sessions.
  return useWrite(users.changePassword, { reload: () => client.invalidateQueries({ queryKey: keys.sessions }) })
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

export function useIdentities() {
  return useQuery({ queryKey: keys.identities, queryFn: () => api(identities.list, {}) })
}

/** The browser leaves the page for the provider. */
export function useConnectIdentity() {
  const connect = useWrite(identities.connect, { quiet: true })
  return async (provider: string) => {
    const done = await connect({ provider })
    if (done !== undefined) location.assign(done.data.address)
  }
}

export function useDisconnectIdentity() {
  const client = useQueryClient()
  return useWrite(identities.disconnect, { reload: () => client.invalidateQueries({ queryKey: keys.identities }) })
}

/** The collections that a token can be limited to. */
export function useCollectionNames() {
  return useQuery({ queryKey: keys.collections, queryFn: () => api(collections.list, {}) })
}

export function useDeletion() {
  return useQuery({ queryKey: keys.deletion, queryFn: () => api(users.deletion, {}), gcTime: 0 })
}

export function useDeleteAccount() {
  return useDeletionBy(users.deleteAccount)
}

/** For an account without a password. */
export function useDeleteAccountConfirmed() {
  return useDeletionBy(users.deleteAccountConfirmed)
}

/** Afterwards the guards show the login page. */
function useDeletionBy<C extends typeof users.deleteAccount | typeof users.deleteAccountConfirmed>(call: C) {
  const client = useQueryClient()
  const remove = useWrite(call)
  return async (input: InputOf<C>, onRefused?: OnRefused) => {
    const done = await remove(input, onRefused)
    if (done === undefined) return undefined
    endSession(client)
    announceSession()
    return done
  }
}
