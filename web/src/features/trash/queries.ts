import { type InputOf, trash } from "@envkeep/contract"
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { notify } from "../../lib/notify.ts"
import { keys, reloadCollection } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

interface TrashOptions {
  /** Not asked for if the user's role does not show it. */
  isAllowed?: boolean
  /** The live stream tells a tab that is shown again whether an environment was deleted or restored. */
  isFollowed?: boolean
}

export function useTrashedEnvironments(collectionId: number, { isAllowed = true, isFollowed }: TrashOptions = {}) {
  return useQuery({
    queryKey: keys.trashedEnvironments(collectionId),
    queryFn: () => api(trash.listEnvironments, { id: collectionId }),
    ...(!isAllowed && { enabled: false }),
    ...(isFollowed && { refetchOnWindowFocus: false }),
  })
}

/** For every write that moves something to the trash or out of it. */
export async function reloadTrash(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: keys.trash })
}

export function useRestoreCollection() {
  const client = useQueryClient()
  return useWrite(trash.restoreCollection, {
    async reload() {
      await reloadTrash(client)
      await client.invalidateQueries({ queryKey: keys.collections })
    },
  })
}

export function useRestoreEnvironment(collectionId: number) {
  const client = useQueryClient()
  const restore = useWrite(trash.restoreEnvironment, {
    async reload() {
      await reloadTrash(client)
      await reloadCollection(client, collectionId)
    },
  })
  return async (input: InputOf<typeof trash.restoreEnvironment>) => {
    const done = await restore(input)
    if (done?.data.isBaseLost) {
      notify.warning(`${done.data.name} has only what it sets itself: what it inherited from can no longer be its base`)
    }
    return done
  }
}

export function usePurgeCollection() {
  return useWrite(trash.purgeCollection, useReloadTrash())
}

export function usePurgeEnvironment() {
  return useWrite(trash.purgeEnvironment, useReloadTrash())
}

export function useEmptyCollections() {
  return useWrite(trash.emptyCollections, useReloadTrash())
}

export function useEmptyEnvironments() {
  return useWrite(trash.emptyEnvironments, useReloadTrash())
}

function useReloadTrash() {
  const client = useQueryClient()
  return { reload: () => reloadTrash(client) }
}
