import { type ApiKey, apiKeys } from "@envkeep/contract"
import { keepPreviousData, skipToken, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { api } from "../../lib/api.ts"
import { keys, reloadCollection } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

export function useCreateApiKey(collectionId: number) {
  const client = useQueryClient()
  return useWrite(apiKeys.create, { reload: () => reloadCollection(client, collectionId) })
}

export function useRemoveApiKey(collectionId: number) {
  const client = useQueryClient()
  return useWrite(apiKeys.remove, { reload: () => reloadCollection(client, collectionId) })
}

export function useUpdateApiKey(collectionId: number) {
  const client = useQueryClient()
  return useWrite(apiKeys.update, { reload: () => reloadCollection(client, collectionId) })
}

export function useDisableApiKey(collectionId: number) {
  const client = useQueryClient()
  return useWrite(apiKeys.disable, { reload: () => reloadCollection(client, collectionId) })
}

export function useRollApiKey(collectionId: number) {
  const client = useQueryClient()
  return useWrite(apiKeys.roll, { reload: () => reloadCollection(client, collectionId) })
}

export function useKeyUsage(id: number) {
  return useQuery({ queryKey: keys.keyUsage(id), queryFn: () => api(apiKeys.usage, { id }), gcTime: 0 })
}

/**
 * Read once the version of what it is about is known, and again at each new one. What was read before stays on the screen
 * until then.
 */
export function useKeyLeak(id: number, version: string | undefined) {
  return useQuery({
    queryKey: keys.keyLeak(id, version ?? ""),
    queryFn: version === undefined ? skipToken : () => api(apiKeys.leak, { id }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
}

/** For what no version says: who reads with the key. */
export function useReadLeakAgain(): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: keys.keyLeaks })
}

const askEveryMs = 2_000

/** Follows the last use of a key while the page is visible. After a failure it waits until the user comes back. */
export function useLastUse({ id, lastUsedAt }: ApiKey, collectionId: number) {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: keys.lastUse(id),
    queryFn: () => api(apiKeys.lastUse, { id }),
    refetchInterval: ({ state }) => (state.status === "error" ? false : askEveryMs),
    gcTime: 0,
  })
  // The list still says that the key was never used.
  const listIsOld = lastUsedAt === null && Boolean(query.data)
  useEffect(() => {
    if (listIsOld) void reloadCollection(client, collectionId)
  }, [listIsOld, client, collectionId])
  return query
}
