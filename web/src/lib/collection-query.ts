import { type Collection, type CollectionSummary, collections } from "@envkeep/contract"
import { type QueryClient, queryOptions } from "@tanstack/react-query"
import { api } from "./api.ts"
import { type HeldCollection, heldTags, mergedCollection } from "./held-collection.ts"
import { keys } from "./state.ts"

/** One collection with everything in it. It replaces its entry in the cached list, or is appended to the list. */
export function collectionQuery(client: QueryClient, id: number) {
  return queryOptions({
    queryKey: keys.collection(id),
    queryFn: async () => {
      const before = client.getQueryData<HeldCollection>(keys.collection(id))
      const collection = await readCollection(id, before)
      // What was read of the history may hold values that are hidden now, or lack some that are not any more.
      if (before !== undefined && hiddenIn(before) !== hiddenIn(collection)) {
        void client.resetQueries({ queryKey: keys.histories })
      }
      client.setQueryData<CollectionSummary[]>(keys.collections, (cached = []) => upsert(cached, collection))
      return collection
    },
  })
}

/** Gets what differs from what is held. If the answer does not fit that, it gets everything. */
export async function readCollection(id: number, held: HeldCollection | undefined): Promise<HeldCollection> {
  // The page may have begun to read this address before its scripts came, when no header can be sent.
  const readAll = () => api(collections.get, { id, tagged: true })
  if (held === undefined) return readAll()
  const answer = await api(collections.get, { id, held: heldTags(held) })
  return mergedCollection(held, answer) ?? (await readAll())
}

function hiddenIn({ subCollections }: Collection): string {
  return subCollections.flatMap(({ id, valuesHidden }) => (valuesHidden ? [id] : [])).join()
}

function upsert(cached: CollectionSummary[], collection: Collection): CollectionSummary[] {
  return cached.some(({ id }) => id === collection.id)
    ? cached.map((one) => (one.id === collection.id ? collection : one))
    : [...cached, collection]
}
