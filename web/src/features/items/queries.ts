import { type Collection, type Environment, history, type InputOf, type Item, items } from "@envkeep/contract"
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query"
import { useRef } from "react"
import { ApiError, api } from "../../lib/api.ts"
import type { HeldEnvironment } from "../../lib/held-collection.ts"
import { keys, reloadCollection } from "../../lib/state.ts"
import { type OnRefused, useWrite } from "../../lib/write.ts"
import { useUndoChange, useUndoDelete } from "../history/queries.ts"

export function useCreateItem(collectionId: number) {
  const client = useQueryClient()
  const create = useWrite(items.create, { reload: () => reloadCollection(client, collectionId) })
  return async (item: InputOf<typeof items.create>, onRefused?: OnRefused) => {
    const done = await create(item, onRefused)
    if (done !== undefined) applyUnlessReloaded(client, collectionId, (environment) => withItem(environment, done.data))
    return done
  }
}

export function useUpdateItem(collectionId: number) {
  const client = useQueryClient()
  const update = useWrite(items.update, { reload: () => reloadCollection(client, collectionId) })
  return async (item: InputOf<typeof items.update>, onRefused?: OnRefused, onStored?: (stored: Item) => void) => {
    const done = await update(item, onRefused, onStored)
    if (done !== undefined) applyUnlessReloaded(client, collectionId, (environment) => withItem(environment, done.data))
    return done
  }
}

export function useSaveItems({ collectionId, revision }: Pick<Environment, "collectionId" | "revision">) {
  const client = useQueryClient()
  const undoChange = useUndoChange(collectionId)
  const loaded = useRef(revision)
  const save = useWrite(items.saveMany, {
    reload: () => reloadCollection(client, collectionId),
    // One item is changed or added in this way too, for the sake of the undo.
    success: (_, { items: [first, ...others] }) => {
      if (first === undefined || others.length > 0) return undefined
      return first.id === undefined ? items.create.done : items.update.done
    },
    undo: (saved, { id }) => {
      const written = Math.max(...saved.map((item) => item.revision))
      // Items that were stored like this already were not written.
      return written > loaded.current ? () => undoChange(id, written) : undefined
    },
  })
  return async (input: InputOf<typeof items.saveMany>, onStored?: (stored: Item[]) => void, onRefused?: OnRefused) => {
    loaded.current = revision
    const done = await save(input, onRefused, onStored)
    if (done !== undefined)
      applyUnlessReloaded(client, collectionId, (environment) => done.data.reduce(withItem, environment))
    return done
  }
}

export function useRemoveItem(collectionId: number) {
  const client = useQueryClient()
  const undoDelete = useUndoDelete(collectionId)
  const deleted = useRef<Item>(null)
  const remove = useWrite(items.remove, {
    reload: () => reloadCollection(client, collectionId),
    undo: () => {
      const item = deleted.current
      return item === null ? undefined : () => undoDelete(item.subCollectionId, item.name)
    },
  })
  return async (item: Item, input: Omit<InputOf<typeof items.remove>, "id">, onRefused?: OnRefused) => {
    deleted.current = item
    const done = await remove({ ...input, id: item.id }, onRefused)
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
function applyUnlessReloaded(
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

function withItem(environment: Environment, item: Item): Environment {
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
