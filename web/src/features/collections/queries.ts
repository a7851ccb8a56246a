import { type CollectionSummary, collections } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { collectionQuery } from "../../lib/collection-query.ts"
import { collectionsQuery, keys, reloadCollection } from "../../lib/state.ts"
import { collectionEndedHere } from "../../lib/use-live-collection.ts"
import { useWrite } from "../../lib/write.ts"
import { useRestoreCollection } from "../trash/queries.ts"

export function useCollection(id: number) {
  return useQuery(collectionQuery(useQueryClient(), id))
}

export function useCreateCollection() {
  const client = useQueryClient()
  return useWrite(collections.create, { reload: () => client.fetchQuery({ ...collectionsQuery, staleTime: 0 }) })
}

export function useDuplicateCollection() {
  const client = useQueryClient()
  return useWrite(collections.duplicate, { reload: () => client.fetchQuery({ ...collectionsQuery, staleTime: 0 }) })
}

export function useUpdateCollection(id: number) {
  const client = useQueryClient()
  return useWrite(collections.update, { reload: () => reloadCollection(client, id) })
}

/** Removes the collection from the cached list. Its own cache entry expires after its screen closes. */
export function useRemoveCollection(id: number) {
  const client = useQueryClient()
  const restore = useRestoreCollection()
  const remove = useWrite(collections.remove, {
    reload() {
      client.setQueryData<CollectionSummary[]>(keys.collections, (cached) => cached?.filter((one) => one.id !== id))
      client.invalidateQueries({ queryKey: keys.trashedCollections })
    },
  })
  return () => remove({ id }, undefined, { onStored: () => collectionEndedHere(id), undo: () => () => restore({ id }) })
}
