import { type Collection, type CollectionSummary, collections, type User, users } from "@envkeep/contract"
import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query"
import { api } from "./api.ts"

/*
 * The one place of client state: the current user, the collections and the admin's counters and products, under these
 * keys in one cache. The end of the session empties it.
 */
export const keys = {
  user: ["user"] as const,
  collections: ["collections"] as const,
  collection: (id: number) => ["collection", id] as const,
  counters: ["counters"] as const,
  products: ["products"] as const,
}

/** Asked once, at the start; afterwards it changes only when this browser signs in or out. */
export const userQuery = queryOptions({
  queryKey: keys.user,
  queryFn: () => api(users.me, {}),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  retryOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
})

/** The signed-in user; null for a guest, and when the server could not say who it is. */
export function useUser(): User | null {
  return useQuery(userQuery).data ?? null
}

export function startSession(client: QueryClient, user: User): void {
  client.setQueryData(keys.user, user)
}

/** Forgets everything that was read for the user; the guards then show the login page. */
export function endSession(client: QueryClient): void {
  client.setQueryData(keys.user, null)
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.user[0] })
}

/** One collection, whole. What comes back replaces the one held in the list, or is appended to it. */
export function collectionQuery(client: QueryClient, id: number) {
  return queryOptions({
    queryKey: keys.collection(id),
    queryFn: async () => {
      const collection = await api(collections.get, { id })
      client.setQueryData<CollectionSummary[]>(keys.collections, (held = []) => hold(held, collection))
      return collection
    },
  })
}

function hold(held: CollectionSummary[], collection: Collection): CollectionSummary[] {
  return held.some(({ id }) => id === collection.id)
    ? held.map((one) => (one.id === collection.id ? collection : one))
    : [...held, collection]
}

/** Every write calls this for the collection it changed; it settles when the screen shows the new state. */
export async function reloadCollection(client: QueryClient, id: number): Promise<void> {
  await client.invalidateQueries({ queryKey: keys.collection(id) })
}

/**
 * Asks again who is signed in, after another tab said that it changed, and forgets what was read for somebody else.
 * True when it is another one now.
 */
export async function recheckUser(client: QueryClient): Promise<boolean> {
  const before = client.getQueryData<User | null>(keys.user)
  await client.refetchQueries({ queryKey: keys.user })
  const now = client.getQueryData<User | null>(keys.user)
  if (now?.id === before?.id) return false
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.user[0] })
  return true
}
