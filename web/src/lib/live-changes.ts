import type { Environment } from "@envkeep/contract"
import { type QueryClient, queryOptions, skipToken, useQueries, useQuery } from "@tanstack/react-query"
import { minuteMs } from "./durations.ts"
import { keys } from "./state.ts"

/** What someone else has just changed in an environment that is on the screen. */
export interface LiveChange {
  revision: number
  by: string | null
  at: string | null
  /** The items that are different now, until their rows have been highlighted for long enough. */
  itemIds: ReadonlySet<number>
}

const highlightMs = 3_000
const announceMs = minuteMs

/** Tells the screen what is new. It is forgotten after a while. */
export function announceChange(
  client: QueryClient,
  { before, now, by, at }: { before: Environment; now: Environment } & Pick<LiveChange, "by" | "at">,
): void {
  const { revision, collectionItems } = now
  const itemIds = collectionItems.filter((item) => item.revision > before.revision).map((item) => item.id)
  const key = keys.liveChange(now.id)
  const show = (change: LiveChange | null) => client.setQueryData<LiveChange | null>(key, change)
  const later = (ms: number, change: LiveChange | null) =>
    setTimeout(() => {
      if (client.getQueryData<LiveChange | null>(key)?.revision === revision) show(change)
    }, ms)
  show({ revision, by, at, itemIds: new Set(itemIds) })
  later(highlightMs, { revision, by, at, itemIds: new Set() })
  later(announceMs, null)
}

const liveChangeQuery = (environmentId: number) =>
  queryOptions<LiveChange | null>({
    queryKey: keys.liveChange(environmentId),
    queryFn: skipToken,
    structuralSharing: false,
  })

/** Undefined if no other user has changed the environment within the last minute. */
export function useLiveChange(environmentId: number): LiveChange | undefined {
  return useQuery(liveChangeQuery(environmentId)).data ?? undefined
}

const none: ReadonlySet<number> = new Set()

/** The items of these environments that others have just changed, until they have been highlighted for long enough. */
export function useFreshItems(environmentIds: readonly number[]): ReadonlySet<number> {
  return useQueries({ queries: environmentIds.map(liveChangeQuery), combine: freshItems })
}

function freshItems(changes: { data: LiveChange | null | undefined }[]): ReadonlySet<number> {
  const ids = changes.flatMap(({ data }) => [...(data?.itemIds ?? [])])
  return ids.length === 0 ? none : new Set(ids)
}
