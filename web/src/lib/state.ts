import { type CollectionSummary, type collections, firstCalls, type User, type users } from "@envkeep/contract"
import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query"
import { firstAnswer } from "./api.ts"

/*
 * All client state is in one cache under these keys: the current user, how much they store, their sessions, passkeys,
 * tokens, second factors and connected accounts, the collections, their described names and webhooks, who they are shared
 * with, those that they are asked to take over, and the history of their environments, teams, invitations, the trash, what others have just changed, what was
 * found, what runs, the use and the leak of an API key, activity, and the counts, accounts and products of the admin area.
 * The end of the session clears it.
 */
export const keys = {
  user: ["user"] as const,
  storage: ["storage"] as const,
  sessions: ["sessions"] as const,
  passkeys: ["passkeys"] as const,
  tokens: ["tokens"] as const,
  secondFactors: ["second-factors"] as const,
  identities: ["identities"] as const,
  deletion: ["deletion"] as const,
  resetLink: (visit: string) => ["reset-link", visit] as const,
  collections: ["collections"] as const,
  collection: (id: number) => ["collection", id] as const,
  names: (collectionId: number) => ["names", collectionId] as const,
  envExamples: (collectionId: number) => ["env-example", collectionId] as const,
  envExample: (collectionId: number, environmentId: number | undefined) =>
    ["env-example", collectionId, environmentId] as const,
  /** Who a collection is shared with, and the invitations to it. */
  sharing: (collectionId: number) => ["sharing", collectionId] as const,
  members: (collectionId: number) => ["sharing", collectionId, "members"] as const,
  transferRequests: ["transfer-requests"] as const,
  teams: ["teams"] as const,
  teamList: ["teams", "list"] as const,
  team: (id: number) => ["teams", id] as const,
  invitationOffer: (visit: string) => ["invitation-offer", visit] as const,
  serverInvitations: ["server-invitations"] as const,
  histories: ["history"] as const,
  history: (environmentId: number) => ["history", environmentId] as const,
  liveChange: (environmentId: number) => ["live-change", environmentId] as const,
  lastChanges: ["last-change"] as const,
  lastChange: (environmentId: number, what: number | string) => ["last-change", environmentId, what] as const,
  allFound: ["found"] as const,
  found: (search: object) => ["found", search] as const,
  opened: ["opened"] as const,
  /** Where the last live stream of a collection was, see `use-live-collection.ts`. */
  livePosition: (collectionId: number) => ["live-position", collectionId] as const,
  /** Everything that is in a trash. */
  trash: ["trash"] as const,
  trashedCollections: ["trash", "collections"] as const,
  trashedEnvironments: (collectionId: number) => ["trash", "environments", collectionId] as const,
  instanceCounts: (collectionId: number) => ["instance-counts", collectionId] as const,
  instanceLists: ["instances"] as const,
  instances: (environmentId: number) => ["instances", environmentId] as const,
  lastUse: (apiKeyId: number) => ["last-use", apiKeyId] as const,
  keyUsage: (apiKeyId: number) => ["key-usage", apiKeyId] as const,
  keyLeaks: ["key-leak"] as const,
  keyLeak: (apiKeyId: number, version: string) => ["key-leak", apiKeyId, version] as const,
  /** With the deliveries of each. */
  webhooks: (collectionId: number) => ["webhooks", collectionId] as const,
  deliveries: (collectionId: number, webhookId: number) => ["webhooks", collectionId, webhookId] as const,
  /** Matches all filters. */
  collectionActivity: (id: number) => ["activity", { of: "collection", id }] as const,
  activity: (scope: object, filters: object) => ["activity", scope, filters] as const,
  keyReads: (collectionId: number) => ["key-reads", collectionId] as const,
  counters: ["counters"] as const,
  mailState: ["mail-state"] as const,
  claimedTeams: ["claimed-teams"] as const,
  dailyCounts: (days: number) => ["daily-counts", days] as const,
  sizes: (kind: string) => ["sizes", kind] as const,
  accountLists: ["accounts"] as const,
  accountList: (listing: object) => ["accounts", listing] as const,
  products: ["products"] as const,
}

/** Fetched once at the start. After that it changes only when the user signs in or out in this browser. */
export const userQuery = queryOptions({
  queryKey: keys.user,
  queryFn: async () => (await firstAnswer<typeof users.me>(firstCalls.me)).data,
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
  forgetAll(client)
}

/** Known to be signed out. False while the user is being fetched. */
export function isSignedOut(client: QueryClient): boolean {
  return client.getQueryData(keys.user) === null
}

function forgetAll(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.user[0] })
}

/** With fewer than two collections in the cache, opening the dashboard or the search loads the list. */
export const collectionsQuery = queryOptions({
  queryKey: keys.collections,
  queryFn: async () => (await firstAnswer<typeof collections.list>(firstCalls.collections)).data,
  staleTime: ({ state }) => ((state.data?.length ?? 0) < 2 ? 0 : Number.POSITIVE_INFINITY),
  // Another tab may have added or deleted one.
  refetchOnWindowFocus: "always",
})

/** Every write calls this for the collection it changed. It resolves when the new state is loaded. */
export async function reloadCollection(client: QueryClient, id: number): Promise<void> {
  await client.invalidateQueries({ queryKey: keys.collection(id) })
}

/** What was opened, as far as it matters here. */
interface Opened {
  collectionId: number
}

/** Drops everything that was read of a collection that the user can no longer reach. */
export function forgetCollection(client: QueryClient, id: number): void {
  client.setQueryData<CollectionSummary[]>(keys.collections, (cached) => cached?.filter((one) => one.id !== id))
  client.setQueryData<Opened[]>(keys.opened, (opened) => opened?.filter((one) => one.collectionId !== id))
  const ofIt = [
    keys.collection(id),
    keys.names(id),
    keys.sharing(id),
    keys.trashedEnvironments(id),
    keys.webhooks(id),
    keys.instanceCounts(id),
    keys.keyReads(id),
    keys.envExamples(id),
    keys.collectionActivity(id),
  ]
  // Of these, the keys do not say which collection they are of.
  const ofAll = [keys.histories, keys.lastChanges, keys.instanceLists, keys.allFound, keys.keyLeaks]
  for (const queryKey of [...ofIt, ...ofAll]) client.removeQueries({ queryKey })
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
  forgetAll(client)
  return true
}
