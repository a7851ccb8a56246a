import { apiKeys } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import { reloadCollection } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

export function useCreateApiKey(collectionId: number) {
  const client = useQueryClient()
  return useWrite(apiKeys.create, { reload: () => reloadCollection(client, collectionId) })
}

export function useRemoveApiKey(collectionId: number) {
  const client = useQueryClient()
  return useWrite(apiKeys.remove, { reload: () => reloadCollection(client, collectionId) })
}
