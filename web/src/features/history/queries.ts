import { history, type InputOf } from "@envkeep/contract"
import { queryOptions, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { api } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/collection-query.ts"
import { notify } from "../../lib/notify.ts"
import { keys, reloadCollection } from "../../lib/state.ts"
import { topicOf, useWrite } from "../../lib/write.ts"
import { asItWas } from "./undone-words.ts"

/** The revisions of an environment, newest first, in pages. */
export function useRevisions(environmentId: number) {
  return useInfiniteQuery({
    queryKey: [...keys.history(environmentId), "list"],
    queryFn: ({ pageParam }) =>
      api(history.list, { id: environmentId, ...(pageParam !== undefined && { before: pageParam }) }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ revisions, isWhole }) => (isWhole ? undefined : revisions.at(-1)?.number),
  })
}

/** Who made one revision and when, without its values. Null if the history no longer knows. */
export function useRevision(environmentId: number, number: number, enabled = true) {
  return useQuery({
    queryKey: keys.lastChange(environmentId, number),
    queryFn: async () => {
      const { revisions } = await api(history.list, { id: environmentId, before: number + 1 })
      return revisions.find((one) => one.number === number) ?? null
    },
    enabled,
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  }).data
}

/** The names of the environments of a collection by id, as far as it is loaded. */
export function useEnvironmentNames(collectionId: number): ReadonlyMap<number, string> {
  const { data } = useQuery({ ...collectionQuery(useQueryClient(), collectionId), enabled: false })
  return useMemo(() => new Map(data?.subCollections.map(({ id, name }) => [id, name])), [data])
}

/** What differs between a revision and an earlier one, or the one before it. */
export function useChanges(environmentId: number, revision: number, since?: number) {
  return useQuery({
    queryKey: [...keys.history(environmentId), "changes", revision, since],
    queryFn: () => api(history.changes, { id: environmentId, revision, ...(since !== undefined && { since }) }),
    // It never changes, unless a value is erased.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useItemHistory(environmentId: number, name: string) {
  return useInfiniteQuery({
    queryKey: [...keys.history(environmentId), "item", name],
    queryFn: ({ pageParam }) =>
      api(history.ofItem, { id: environmentId, name, ...(pageParam !== undefined && { before: pageParam }) }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ versions, isWhole }) => (isWhole ? undefined : versions.at(-1)?.revision),
  })
}

function newestVersionQuery(environmentId: number, name: string) {
  return queryOptions({
    queryKey: [...keys.history(environmentId), "newest version", name],
    queryFn: async () => (await api(history.ofItem, { id: environmentId, name })).versions[0] ?? null,
    gcTime: 0,
  })
}

/** The history and the present of an environment change together. */
export function useReloadHistory(collectionId: number) {
  const client = useQueryClient()
  return () =>
    Promise.all([client.invalidateQueries({ queryKey: keys.histories }), reloadCollection(client, collectionId)])
}

/** Restores an environment. This is undone in the same way. */
export function useRestore(collectionId: number) {
  const undoChange = useUndoChange(collectionId)
  const restore = useWrite(history.restore, { reload: useReloadHistory(collectionId) })
  return (input: InputOf<typeof history.restore>) =>
    restore(input, undefined, {
      undo: ({ name, ...after }) =>
        after.revision === input.current ? undefined : () => undoChange(after, asItWas(name)),
    })
}

/** Takes back the change that made a revision, unless something was changed after it. Then it says `success`. */
export function useUndoChange(collectionId: number) {
  const restore = useWrite(history.restore, { reload: useReloadHistory(collectionId) })
  return ({ id, revision }: { id: number; revision: number }, success: string) =>
    restore({ id, revision: revision - 1, current: revision }, undefined, { success })
}

export function useRestoreItem(collectionId: number) {
  const undoChange = useUndoChange(collectionId)
  const restoreItem = useWrite(history.restoreItem, { reload: useReloadHistory(collectionId) })
  return (input: InputOf<typeof history.restoreItem>) =>
    restoreItem(input, undefined, { undo: (after) => () => undoChange(after, asItWas(input.name)) })
}

const inUseAgain = "An item with this name was added again. Nothing was changed"

/** Brings back a deleted item with the value that it had, unless there is another one of that name. */
export function useUndoDelete(collectionId: number) {
  const client = useQueryClient()
  const restoreItem = useWrite(history.restoreItem, { reload: useReloadHistory(collectionId) })
  return async (environmentId: number, name: string) => {
    // A failure is already on the screen.
    const newest = await client.fetchQuery(newestVersionQuery(environmentId, name)).catch(() => null)
    if (newest === null) return
    if (newest.state !== "removed") notify.warning(inUseAgain, topicOf(history.restoreItem))
    else {
      const { revision } = newest
      await restoreItem({ id: environmentId, name, revision: revision - 1, current: revision }, undefined, {
        success: `${name} is back`,
      })
    }
  }
}

export function useErase() {
  const client = useQueryClient()
  return useWrite(history.erase, { reload: () => client.invalidateQueries({ queryKey: keys.histories }) })
}
