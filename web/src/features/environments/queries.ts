import { type Environment, environments } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import { collectionQuery, reloadCollection } from "../../lib/state.ts"
import { topicOf, useWrite } from "../../lib/write.ts"
import { useUndoChange } from "../history/queries.ts"
import { reloadTrash, useRestoreEnvironment } from "../trash/queries.ts"

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
  const client = useQueryClient()
  const restore = useRestoreEnvironment(collectionId)
  return useWrite(environments.remove, {
    async reload() {
      await reloadCollection(client, collectionId)
      await reloadTrash(client)
    },
    undo:
      (_, { id }) =>
      () =>
        restore({ id }),
  })
}

/** For what keeps a user from saving the whole list: it goes once the list is saved. */
export const saveAllTopic = topicOf(environments.saveAll)

export function useSaveAllItems(collectionId: number) {
  const undoChange = useUndoChange(collectionId)
  return useWrite(environments.saveAll, {
    ...useReload(collectionId),
    undo: ({ id, revision }, input) => (revision === input.revision ? undefined : () => undoChange(id, revision)),
  })
}

/** Reloads an environment, on the screen too. Resolves to undefined if that fails: the error is then on the screen. */
export function useReloadEnvironment({ id, collectionId }: Environment) {
  const client = useQueryClient()
  return async (): Promise<Environment | undefined> => {
    const collection = await client
      .fetchQuery({ ...collectionQuery(client, collectionId), staleTime: 0 })
      .catch(() => undefined)
    return collection?.subCollections.find((one) => one.id === id)
  }
}
