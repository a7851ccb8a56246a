import { type CollectionSummary, collections } from "@envkeep/contract"
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { collectionQuery, keys, reloadCollection } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

/** The held list counts as whole from two collections on; with fewer, opening the dashboard loads it. */
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

/** Takes the collection out of the held list. Its own entry goes after the screen that shows it is left. */
export function useRemoveCollection(id: number) {
  const client = useQueryClient()
  return useWrite(collections.remove, {
    reload: () =>
      client.setQueryData<CollectionSummary[]>(keys.collections, (held) => held?.filter((one) => one.id !== id)),
  })
}
