import { type Collection, type CollectionSummary, collections, type User, users } from "@envkeep/contract"
import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query"
import { api } from "./api.ts"

/*
 * All client state is in one cache under these keys: the current user and how much they store, the collections and
 * the history of their environments, the trash, what others have just changed, the last use of an API key, activity, and
 * the counters and products of the admin area. The end of the session clears it.
 */
export const keys = {
  user: ["user"] as const,
  storage: ["storage"] as const,
  resetLink: (visit: string) => ["reset-link", visit] as const,
  collections: ["collections"] as const,
  collection: (id: number) => ["collection", id] as const,
  histories: ["history"] as const,
  history: (environmentId: number) => ["history", environmentId] as const,
  liveChange: (environmentId: number) => ["live-change", environmentId] as const,
  lastChange: (environmentId: number, what: number | string) => ["last-change", environmentId, what] as const,
  /** Everything that is in a trash. */
  trash: ["trash"] as const,
  trashedCollections: ["trash", "collections"] as const,
  trashedEnvironments: (collectionId: number) => ["trash", "environments", collectionId] as const,
  lastUse: (apiKeyId: number) => ["last-use", apiKeyId] as const,
  activity: (scope: object, filters: object) => ["activity", scope, filters] as const,
  keyReads: (collectionId: number) => ["key-reads", collectionId] as const,
  counters: ["counters"] as const,
  products: ["products"] as const,
}

/** Fetched once at the start. After that it changes only when the user signs in or out in this browser. */
export const userQuery = queryOptions({
  queryKey: keys.user,
  queryFn: () => api(users.me, {}),
  enabled: true,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  retryOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
})

/** The signed-in user. Null for a guest, and if the user could not be fetched. */
export function useUser(): User | null {
  return useQuery(userQuery).data ?? null
}

export function startSession(client: QueryClient, user: User): void {
  client.setQueryData(keys.user, user)
}

/**
 * Removes everything that was read for the user. The guards then show the login page. The user goes first, because from
 * then on no screen fetches anything.
 */
export function endSession(client: QueryClient): void {
  client.setQueryData(keys.user, null)
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.user[0] })
}

/** One collection with everything in it. It replaces its entry in the cached list, or is appended to the list. */
export function collectionQuery(client: QueryClient, id: number) {
  return queryOptions({
    queryKey: keys.collection(id),
    queryFn: async () => {
      const collection = await api(collections.get, { id })
      client.setQueryData<CollectionSummary[]>(keys.collections, (cached = []) => upsert(cached, collection))
      return collection
    },
  })
}

function upsert(cached: CollectionSummary[], collection: Collection): CollectionSummary[] {
  return cached.some(({ id }) => id === collection.id)
    ? cached.map((one) => (one.id === collection.id ? collection : one))
    : [...cached, collection]
}

/** Every write calls this for the collection it changed. It resolves when the new state is loaded. */
export async function reloadCollection(client: QueryClient, id: number): Promise<void> {
  await client.invalidateQueries({ queryKey: keys.collection(id) })
}

/**
 * Fetches the user again after another tab announced a change, and removes everything that was read for the previous
 * user. True if the user is a different one.
 */
export async function recheckUser(client: QueryClient): Promise<boolean> {
  const before = client.getQueryData<User | null>(keys.user)
  await client.refetchQueries({ queryKey: keys.user })
  const now = client.getQueryData<User | null>(keys.user)
  if (now?.id === before?.id) return false
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.user[0] })
  return true
}
