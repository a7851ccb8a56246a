import { type Environment, instances } from "@envkeep/contract"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"

/** The live stream of the collection tells what has changed, also to a tab that is shown again. */
const followed = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, gcTime: 0 }

/** How many programs run with each environment. Counted again after each change. */
export function useInstanceCounts(collectionId: number, environments: readonly Environment[], isAllowed: boolean) {
  const revisions = environments.map(({ id, revision }) => `${id}.${revision}`).join()
  const { data } = useQuery({
    queryKey: [...keys.instanceCounts(collectionId), revisions],
    queryFn: () => api(instances.count, { id: collectionId }),
    enabled: isAllowed && environments.length > 0,
    placeholderData: keepPreviousData,
    ...followed,
  })
  return new Map(data?.map((count) => [count.environmentId, count]))
}

export function useInstances(environmentId: number, isOpen: boolean) {
  return useQuery({
    queryKey: keys.instances(environmentId),
    queryFn: () => api(instances.list, { id: environmentId }),
    enabled: isOpen,
    ...followed,
  })
}
