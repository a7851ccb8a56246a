import { items } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import { reloadCollection } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

export function useCreateItem({ collectionId, environmentId }: { collectionId: number; environmentId: number }) {
  const client = useQueryClient()
  const create = useWrite(items.create, { reload: () => reloadCollection(client, collectionId) })
  return (item: { name: string; value: string }) => create({ ...item, subCollectionId: environmentId })
}

export function useUpdateItem(collectionId: number) {
  const client = useQueryClient()
  return useWrite(items.update, { reload: () => reloadCollection(client, collectionId) })
}

export function useRemoveItem(collectionId: number) {
  const client = useQueryClient()
  return useWrite(items.remove, { reload: () => reloadCollection(client, collectionId) })
}
