import { type ActivityEvent, type ActivityPage, activity, type InputOf, type KeyReads } from "@envkeep/contract"
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/collection-query.ts"
import { keys } from "../../lib/state.ts"

/** Whose activity a screen shows. */
export type ActivityScope = { of: "collection"; id: number } | { of: "account" } | { of: "instance" }

export type ActivityFilters = Omit<InputOf<typeof activity.exportOfCollection>, "id">

/** With a rare filter a page of the server can be short, and older ones have to be asked for. */
const enoughEvents = 20

export function useActivity(scope: ActivityScope, filters: ActivityFilters) {
  return useInfiniteQuery({
    queryKey: keys.activity(scope, filters),
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => loadPage(scope, { ...filters, before: pageParam }, signal),
    getNextPageParam: ({ next }) => next ?? undefined,
    // The list stays while another filter is loaded.
    placeholderData: keepPreviousData,
    refetchOnMount: "always",
  })
}

async function loadPage(
  scope: ActivityScope,
  input: ActivityFilters & { before?: number | undefined },
  signal: AbortSignal,
): Promise<ActivityPage> {
  const events: ActivityEvent[] = []
  for (let before = input.before; ; ) {
    const page = await load(scope, { ...input, before })
    events.push(...page.events)
    if (page.next === null || events.length >= enoughEvents || signal.aborted) return { ...page, events }
    before = page.next
  }
}

function load(scope: ActivityScope, input: ActivityFilters & { before?: number | undefined }): Promise<ActivityPage> {
  const { environmentId, ...rest } = input
  if (scope.of === "collection") return api(activity.ofCollection, { id: scope.id, environmentId, ...rest })
  return api(scope.of === "account" ? activity.ofAccount : activity.ofInstance, rest)
}

/** Where the browser downloads the same events. */
export function exportUrl(scope: ActivityScope, filters: ActivityFilters): string {
  const given = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const path = {
    collection: activity.exportOfCollection.path,
    account: activity.exportOfAccount.path,
    instance: activity.exportOfInstance.path,
  }[scope.of]
  const query = given.length === 0 ? "" : `?${new URLSearchParams(given)}`
  return `/api${path.replace("{id}", String("id" in scope ? scope.id : ""))}${query}`
}

export function useKeyReads(collectionId: number) {
  return useInfiniteQuery({
    queryKey: keys.keyReads(collectionId),
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }): Promise<{ reads: KeyReads[]; next: number | null }> =>
      api(activity.readsOfCollection, { id: collectionId, before: pageParam }),
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnMount: "always",
  })
}

/** For the heading and the filters. The collection is in the cache when one comes from its screen. */
export function useCollectionNames(id: number) {
  return useQuery({
    ...collectionQuery(useQueryClient(), id),
    select: ({ name, subCollections }) => ({
      name,
      environments: subCollections.map((environment) => ({ id: environment.id, name: environment.name })),
    }),
  })
}
