import { type Found, find } from "@envkeep/contract"
import { keepPreviousData, skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"

/** Long enough to type a text again, or to return to one. What is older is not shown first. */
const keptMs = 10_000

export interface Search {
  text: string
  /** What is in it comes first. */
  collectionId: number | undefined
  /** The name of a variable, to list its places only. */
  name: string | undefined
}

export type Kind = keyof Found

interface FoundBySearch {
  found: Found | undefined
  isCurrent: boolean
  error: Error | null
  retry: () => void
  loadMore: (kind: Kind, onLoaded: (countBefore: number) => void) => void
  isLoadingMore: boolean
}

/**
 * What the server found for a text. While it searches, what it found for the text before stays. An answer belongs to its
 * search, so a late one never replaces that for a newer text.
 */
export function useFound(search: Search): FoundBySearch {
  const { text, collectionId, name } = search
  const client = useQueryClient()
  const queryKey = keys.found(search)
  const input = {
    text,
    grouped: name === undefined,
    ...(collectionId !== undefined && { collectionId }),
    ...(name !== undefined && { name }),
  }
  const { data, isPlaceholderData, isFetching, isSuccess, error, refetch } = useQuery({
    queryKey,
    queryFn: text === "" ? skipToken : () => api(find.byName, input),
    placeholderData: keepPreviousData,
    gcTime: keptMs,
    // The access to what is listed may have ended. After a short look at another tab, a long list stays.
    refetchOnWindowFocus: ({ state }) => Date.now() - state.dataUpdatedAt > keptMs,
  })
  const more = useMutation({
    mutationFn: ({ after }: { kind: Kind; after: string; onLoaded: (countBefore: number) => void }) =>
      api(find.byName, { ...input, after }),
    onSuccess(page, { kind, onLoaded }) {
      const before = client.getQueryData<Found>(queryKey)
      if (before === undefined) return
      client.setQueryData(queryKey, { ...before, [kind]: joined(before[kind], page[kind]) })
      onLoaded(before[kind].best.length)
    },
  })

  function loadMore(kind: Kind, onLoaded: (countBefore: number) => void) {
    const after = data?.[kind].next
    if (after !== undefined && !more.isPending) more.mutate({ kind, after, onLoaded })
  }
  const rest = { retry: () => void refetch(), loadMore, isLoadingMore: more.isPending }
  if (text === "") return { ...rest, found: undefined, isCurrent: true, error: null }
  // The places of a name take the place of what was found before.
  const isStale = isPlaceholderData && name !== undefined
  return {
    ...rest,
    found: error === null && !isStale ? data : undefined,
    isCurrent: isSuccess && !isPlaceholderData,
    error: isFetching ? null : error,
  }
}

function joined(before: Found[Kind], page: Found[Kind]) {
  return { ...page, best: [...before.best, ...page.best] }
}
