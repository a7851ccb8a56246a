import { type Found, find } from "@envkeep/contract"
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"

/** Long enough to type a text again, or to return to one. What is older is not shown first. */
const keptMs = 10_000

/**
 * What the server found for a text. While it searches, what it found for the text before stays. An answer belongs to its
 * text, so a late one never replaces that for a newer text.
 */
export function useFound(text: string): {
  found: Found | undefined
  isCurrent: boolean
  error: Error | null
  retry: () => void
} {
  const { data, isPlaceholderData, isFetching, isSuccess, error, refetch } = useQuery({
    queryKey: keys.found(text),
    queryFn: text === "" ? skipToken : () => api(find.byName, { text }),
    placeholderData: keepPreviousData,
    gcTime: keptMs,
    refetchOnWindowFocus: false,
  })
  const retry = () => void refetch()
  if (text === "") return { found: undefined, isCurrent: true, error: null, retry }
  const found = error === null ? data : undefined
  return { found, isCurrent: isSuccess && !isPlaceholderData, error: isFetching ? null : error, retry }
}
