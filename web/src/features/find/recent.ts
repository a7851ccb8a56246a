import { queryOptions, skipToken, useQuery, useQueryClient } from "@tanstack/react-query"
import { keys } from "../../lib/state.ts"

/** Something that was opened from the search: a collection, an environment or a variable. */
export interface Place {
  collectionId: number
  collectionName: string
  environmentId?: number
  environmentName?: string
  /** Of a variable. */
  name?: string
}

const maxRecent = 5

/** Only in memory: names of what a user keeps are not written to the browser's storage. */
const recentQuery = queryOptions<Place[]>({
  queryKey: keys.openedFromSearch,
  queryFn: skipToken,
  gcTime: Number.POSITIVE_INFINITY,
})

/** The last ones that were opened, newest first, until the page is reloaded or the session ends. */
export function useRecent(): [recent: Place[], remember: (place: Place) => void] {
  const client = useQueryClient()
  const { data: recent = [] } = useQuery(recentQuery)
  function remember(place: Place) {
    const others = recent.filter((other) => keyOf(other) !== keyOf(place))
    client.setQueryData(recentQuery.queryKey, [place, ...others].slice(0, maxRecent))
  }
  return [recent, remember]
}

export function keyOf({ collectionId, environmentId = 0, name = "" }: Place): string {
  return `${collectionId} ${environmentId} ${name}`
}
