import { type Environment, environments, type InputOf } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import { useRef } from "react"
import { collectionQuery } from "../../lib/collection-query.ts"
import { reloadCollection } from "../../lib/state.ts"
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

export function useProtectEnvironment(collectionId: number) {
  return useWrite(environments.protect, useReload(collectionId))
}

/** Undone, the environment has its earlier base again. */
export function useRebaseEnvironment(collectionId: number) {
  const options = useReload(collectionId)
  const earlier = useRef<number>(null)
  const goBack = useWrite(environments.rebase, options)
  const rebase = useWrite(environments.rebase, {
    ...options,
    undo: ({ id, revision }) => {
      const baseId = earlier.current
      return () => goBack({ id, baseId, revision })
    },
  })
  return (input: InputOf<typeof environments.rebase>, baseId: number | null) => {
    earlier.current = baseId
    return rebase(input)
  }
}

/** Undone, its heirs inherit from it again, unless they have got copies of what they inherited. */
export function useRemoveEnvironment(collectionId: number) {
  const client = useQueryClient()
  const restore = useRestoreEnvironment(collectionId)
  const rebase = useWrite(environments.rebase, useReload(collectionId))
  const left = useRef<readonly Environment[]>([])
  const remove = useWrite(environments.remove, {
    async reload() {
      await reloadCollection(client, collectionId)
      await reloadTrash(client)
    },
    undo(_, { id, copyDown }) {
      const heirs = copyDown === false ? left.current : []
      return async () => {
        if ((await restore({ id })) === undefined) return
        for (const heir of heirs) await rebase({ id: heir.id, baseId: id })
      }
    },
  })
  return (input: InputOf<typeof environments.remove>, heirs: readonly Environment[]) => {
    left.current = heirs
    return remove(input)
  }
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
