import { type Collection, type Environment, type InputOf, type Item, items } from "@envkeep/contract"
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { ApiError } from "../../lib/api.ts"
import { keys, reloadCollection } from "../../lib/state.ts"
import { type OnRefused, useWrite } from "../../lib/write.ts"

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
  return async (item: InputOf<typeof items.update>, onRefused?: OnRefused) => {
    const done = await update(item, onRefused)
    if (done !== undefined) applyUnlessReloaded(client, collectionId, (environment) => withItem(environment, done.data))
    return done
  }
}

export function useSaveItems(collectionId: number) {
  const client = useQueryClient()
  const save = useWrite(items.saveMany, { reload: () => reloadCollection(client, collectionId) })
  return async (input: InputOf<typeof items.saveMany>) => {
    const done = await save(input)
    if (done !== undefined)
      applyUnlessReloaded(client, collectionId, (environment) => done.data.reduce(withItem, environment))
    return done
  }
}

export function useRemoveItem(collectionId: number) {
  const client = useQueryClient()
  const remove = useWrite(items.remove, { reload: () => reloadCollection(client, collectionId) })
  return async ({ id }: { id: number }) => {
    const done = await remove({ id })
    if (done !== undefined) applyUnlessReloaded(client, collectionId, (environment) => withoutItem(environment, id))
    return done
  }
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

/** Keeps the revision: an old one only causes another read, a guessed one could hide a change. */
function withItems(environment: Environment, collectionItems: Item[]): Environment {
  return { ...environment, collectionItems, itemCount: collectionItems.length }
}
