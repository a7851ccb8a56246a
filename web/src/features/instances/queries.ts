import { type Environment, instances } from "@envkeep/contract"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"

/** After a change, and while a program still runs an old value, the user may be waiting for it. */
const waitingEveryMs = 2_000
const countsAfterChange = 10
const restingEveryMs = 15_000

/** How many programs run with each environment. Counted again after each change, and while the page is visible. */
export function useInstanceCounts(collectionId: number, environments: readonly Environment[], isAllowed: boolean) {
  const revisions = environments.map(({ id, revision }) => `${id}.${revision}`).join()
  const { data } = useQuery({
    queryKey: keys.instanceCounts(collectionId, revisions),
    queryFn: () => api(instances.count, { id: collectionId }),
    enabled: isAllowed && environments.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval({ state }) {
      if (state.status === "error") return false
      const isBehind = state.data?.some(({ running, current }) => current < running) ?? false
      return isBehind || state.dataUpdateCount < countsAfterChange ? waitingEveryMs : restingEveryMs
    },
    gcTime: 0,
  })
  return new Map(data?.map((count) => [count.environmentId, count]))
}

export function useInstances(environmentId: number, isOpen: boolean) {
  return useQuery({
    queryKey: keys.instances(environmentId),
    queryFn: () => api(instances.list, { id: environmentId }),
    enabled: isOpen,
    refetchInterval: ({ state }) => (state.status === "error" ? false : waitingEveryMs),
    gcTime: 0,
  })
}
