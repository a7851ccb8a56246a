import { type Environment, environments } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import { collectionQuery, reloadCollection } from "../../lib/state.ts"
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

/** Reads an environment anew, for the screen too. Nothing when it cannot be read: the reason is on the screen then. */
export function useReadAgain({ id, collectionId }: Environment) {
  const client = useQueryClient()
  return async (): Promise<Environment | undefined> => {
    const collection = await client
      .fetchQuery({ ...collectionQuery(client, collectionId), staleTime: 0 })
      .catch(() => undefined)
    return collection?.subCollections.find((one) => one.id === id)
  }
}
