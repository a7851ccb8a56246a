import { environments } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import { reloadCollection } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

function useReload(collectionId: number) {
  const client = useQueryClient()
  return { reload: () => reloadCollection(client, collectionId) }
}

export function useCreateEnvironment(collectionId: number) {
  return useWrite(environments.create, useReload(collectionId))
}

export function useRenameEnvironment(collectionId: number) {
  return useWrite(environments.rename, useReload(collectionId))
}

export function useRemoveEnvironment(collectionId: number) {
  return useWrite(environments.remove, useReload(collectionId))
}

export function useSaveAllItems(collectionId: number) {
  return useWrite(environments.saveAll, useReload(collectionId))
}
