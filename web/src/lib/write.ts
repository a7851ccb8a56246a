import type { Call, InputOf, OutputOf } from "@envkeep/contract"
import { useMutation } from "@tanstack/react-query"
import { ApiError, answer } from "./api.ts"
import { notify } from "./notify.ts"

interface WriteOptions {
  /** Brings what the write changed up to date before it counts as finished. */
  reload?: () => unknown
  /** Said for a failure that came without a sentence. */
  blank?: string
  /** The server alone judges the input. */
  unchecked?: boolean
}

/**
 * Gives a function that makes a writing call and tells the user how it went. It resolves to the data in a box, or to
 * nothing when the call failed: the reason is on the screen by then, so callers only keep or clear what was typed.
 */
export function useWrite<C extends Call>(
  call: C,
  { reload, blank, unchecked = false }: WriteOptions = {},
): (input: InputOf<C>) => Promise<{ data: OutputOf<C> } | undefined> {
  const { mutateAsync } = useMutation({
    mutationFn: (input: InputOf<C>) => answer(call, input, { unchecked }),
    onSuccess: async ({ msg }) => {
      notify.success(msg)
      // What was written stays written: a read that fails after it is told by the cache it goes through, as its own.
      await Promise.resolve(reload?.()).catch(ignoreApiError)
    },
    // What is gone was deleted in another tab or by a colleague: stop showing it.
    onError: (error) => error instanceof ApiError && error.status === 404 && reload?.(),
    meta: { blank },
  })
  return (input) => mutateAsync(input).catch(ignoreApiError)
}

/** Its sentence is on the screen by now; anything else is a fault of ours. */
function ignoreApiError(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
}
