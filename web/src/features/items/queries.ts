import { type Collection, type Environment, type InputOf, type Item, items } from "@envkeep/contract"
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { ApiError } from "../../lib/api.ts"
import { keys, reloadCollection } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

export function useCreateItem(collectionId: number) {
  const client = useQueryClient()
  const create = useWrite(items.create, { reload: () => reloadCollection(client, collectionId) })
  return async (item: InputOf<typeof items.create>) => {
    const done = await create(item)
    if (done !== undefined) holdUnlessReloaded(client, collectionId, (held) => withItem(held, done.data))
    return done
  }
}

export function useUpdateItem(collectionId: number) {
  const client = useQueryClient()
  const update = useWrite(items.update, { reload: () => reloadCollection(client, collectionId) })
  return async (item: InputOf<typeof items.update>) => {
    const done = await update(item)
    if (done !== undefined) holdUnlessReloaded(client, collectionId, (held) => withItem(held, done.data))
    return done
  }
}

export function useRemoveItem(collectionId: number) {
  const client = useQueryClient()
  const remove = useWrite(items.remove, { reload: () => reloadCollection(client, collectionId) })
  return async ({ id }: { id: number }) => {
    const done = await remove({ id })
    if (done !== undefined) holdUnlessReloaded(client, collectionId, (held) => withoutItem(held, id))
    return done
  }
}

/**
 * A write that succeeded is shown even when the reload after it failed: the old value would look like the stored one.
 * After a reload that worked there is nothing to add; it knows more than the answer to the write.
 */
function holdUnlessReloaded(
  client: QueryClient,
  collectionId: number,
  change: (environment: Environment) => Environment,
): void {
  const state = client.getQueryState<Collection>(keys.collection(collectionId))
  if (state?.isInvalidated !== true) return
  if (state.error instanceof ApiError && state.error.status === 404) return
  client.setQueryData<Collection>(
    keys.collection(collectionId),
    (held) => held && { ...held, subCollections: held.subCollections.map(change) },
  )
}

function withItem(environment: Environment, item: Item): Environment {
  if (environment.id !== item.subCollectionId) return environment
  const held = environment.collectionItems
  const isHeld = held.some(({ id }) => id === item.id)
  return holding(environment, isHeld ? held.map((one) => (one.id === item.id ? item : one)) : [...held, item])
}

function withoutItem(environment: Environment, id: number): Environment {
  return holding(
    environment,
    environment.collectionItems.filter((one) => one.id !== id),
  )
}

/** The revision stays as it was read: an older one makes others look again, a guessed one could hide a change. */
function holding(environment: Environment, collectionItems: Item[]): Environment {
  return { ...environment, collectionItems, itemCount: collectionItems.length }
}
