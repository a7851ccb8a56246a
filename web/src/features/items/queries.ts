import { type Collection, type Environment, history, type InputOf, type Item, items } from "@envkeep/contract"
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query"
import { ApiError, api } from "../../lib/api.ts"
import type { HeldEnvironment } from "../../lib/held-collection.ts"
import { keys, reloadCollection } from "../../lib/state.ts"
import { type OnRefused, useWrite } from "../../lib/write.ts"
import { useUndoDelete } from "../history/queries.ts"

export function useRemoveItem(collectionId: number) {
  const client = useQueryClient()
  const undoDelete = useUndoDelete(collectionId)
  const remove = useWrite(items.remove, { reload: () => reloadCollection(client, collectionId) })
  return async (item: Item, input: Omit<InputOf<typeof items.remove>, "id">, onRefused?: OnRefused) => {
    const done = await remove({ ...input, id: item.id }, onRefused, {
      undo: () => () => undoDelete(item.subCollectionId, item.name),
    })
    if (done !== undefined) applyUnlessReloaded(client, collectionId, (one) => withoutItem(one, item.id))
    return done
  }
}

/** Who deleted an item of this name, and when. Null if the history no longer knows. */
export function useDeletionOf(environmentId: number, name: string, enabled: boolean) {
  return useQuery({
    queryKey: keys.lastChange(environmentId, name),
    queryFn: async () => {
      const { versions } = await api(history.ofItem, { id: environmentId, name })
      const { by = null, at } = versions.find(({ state }) => state === "removed") ?? {}
      return at === undefined ? null : { by, at }
    },
    enabled,
  }).data
}

/**
 * Shows a successful write even if the reload after it failed, because the old value would look like the stored one.
 * After a successful reload there is nothing to do: it is newer than the answer to the write.
 */
export function applyUnlessReloaded(
  client: QueryClient,
  collectionId: number,
  change: (environment: Environment) => Environment,
): void {
  const state = client.getQueryState<Collection>(keys.collection(collectionId))
  if (state?.isInvalidated !== true) return
  if (state.error instanceof ApiError && state.error.status === 404) return
  client.setQueryData<Collection>(
    keys.collection(collectionId),
    (collection) => collection && { ...collection, subCollections: collection.subCollections.map(change) },
  )
}

export function withItem(environment: Environment, item: Item): Environment {
  if (environment.id !== item.subCollectionId) return environment
  const items = environment.collectionItems
  const exists = items.some(({ id }) => id === item.id)
  return withItems(environment, exists ? items.map((one) => (one.id === item.id ? item : one)) : [...items, item])
}

function withoutItem(environment: Environment, id: number): Environment {
  return withItems(
    environment,
    environment.collectionItems.filter((one) => one.id !== id),
  )
}

/**
 * Keeps the revision: an old one only causes another read, a guessed one could hide a change. It has no tag, because no
 * answer has shown it like this.
 */
function withItems(environment: Environment, collectionItems: Item[]): HeldEnvironment {
  return { ...environment, collectionItems, itemCount: collectionItems.length, tag: undefined }
}
