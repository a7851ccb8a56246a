import { type CollectionSummary, collections } from "@envkeep/contract"
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { collectionQuery, keys, reloadCollection } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"
import { useRestoreCollection } from "../trash/queries.ts"

/** With fewer than two collections in the cache, opening the dashboard loads the list. */
const collectionsQuery = queryOptions({
  queryKey: keys.collections,
  queryFn: () => api(collections.list, {}),
  staleTime: ({ state }) => ((state.data?.length ?? 0) < 2 ? 0 : Number.POSITIVE_INFINITY),
  // Another tab may have added or deleted one.
  refetchOnWindowFocus: "always",
})

export function useCollections() {
  return useQuery(collectionsQuery)
}

export function useCollection(id: number) {
  return useQuery(collectionQuery(useQueryClient(), id))
}

export function useCreateCollection() {
  const client = useQueryClient()
  return useWrite(collections.create, { reload: () => client.fetchQuery({ ...collectionsQuery, staleTime: 0 }) })
}

export function useUpdateCollection(id: number) {
  const client = useQueryClient()
  return useWrite(collections.update, { reload: () => reloadCollection(client, id) })
}

/** Removes the collection from the cached list. Its own cache entry expires after its screen closes. */
export function useRemoveCollection(id: number) {
  const client = useQueryClient()
  const restore = useRestoreCollection()
  return useWrite(collections.remove, {
    reload() {
      client.setQueryData<CollectionSummary[]>(keys.collections, (cached) => cached?.filter((one) => one.id !== id))
      client.invalidateQueries({ queryKey: keys.trashedCollections })
    },
    undo: () => () => restore({ id }),
  })
}
