import { type Environment, environments, type InputOf } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import { collectionQuery } from "../../lib/collection-query.ts"
import { reloadCollection } from "../../lib/state.ts"
import { topicOf, useWrite } from "../../lib/write.ts"
import { useUndoChange } from "../history/queries.ts"
import { asItWas } from "../history/undone-words.ts"
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

export function useProtectEnvironment(collectionId: number) {
  return useWrite(environments.protect, useReload(collectionId))
}

/** Undone, the environment has its earlier base again. */
export function useRebaseEnvironment(collectionId: number) {
  const rebase = useWrite(environments.rebase, useReload(collectionId))
  return (input: InputOf<typeof environments.rebase>, earlier: number | null) =>
    rebase(input, undefined, {
      undo:
        ({ id, revision }) =>
        () =>
          rebase({ id, baseId: earlier, revision }),
    })
}

/** Undone, its heirs inherit from it again, unless they have got copies of what they inherited. */
export function useRemoveEnvironment(collectionId: number) {
  const client = useQueryClient()
  const restore = useRestoreEnvironment(collectionId)
  const rebase = useWrite(environments.rebase, useReload(collectionId))
  const remove = useWrite(environments.remove, {
    async reload() {
      await reloadCollection(client, collectionId)
      await reloadTrash(client)
    },
  })
  return (input: InputOf<typeof environments.remove>, heirs: readonly Environment[]) =>
    remove(input, undefined, {
      undo: () => async () => {
        const { id, copyDown } = input
        if ((await restore({ id })) === undefined || copyDown !== false) return
        for (const heir of heirs) await rebase({ id: heir.id, baseId: id })
      },
    })
}

/** For what keeps a user from saving the whole list: it goes once the list is saved. */
export const saveAllTopic = topicOf(environments.saveAll)

export function useSaveAllItems(collectionId: number) {
  const undoChange = useUndoChange(collectionId)
  const saveAll = useWrite(environments.saveAll, useReload(collectionId))
  return (input: InputOf<typeof environments.saveAll>) =>
    saveAll(input, undefined, {
      undo: ({ name, ...after }) =>
        after.revision === input.revision ? undefined : () => undoChange(after, asItWas(name)),
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
