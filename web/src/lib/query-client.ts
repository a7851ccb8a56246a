import { ourFault, secondFactorRequired } from "@envkeep/contract"
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { ApiError } from "./api.ts"
import { notify } from "./notify.ts"
import { endSession, isSignedOut, keys } from "./state.ts"

/** The cache behind every screen. Every failed read and write is reported here and nowhere else. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryHash }) => report(error, { topic: queryHash }),
      onSuccess: (_data, { queryHash }) => notify.settled(queryHash),
    }),
    mutationCache: new MutationCache({
      onError: (error, _input, _result, { meta }) => report(error, meta),
    }),
    defaultOptions: {
      // Report a failure immediately, even if the browser thinks it is offline: for a local server it is often wrong.
      // A screen that is still closing after the logout must not fetch what endSession removed: the server refuses it.
      queries: { retry: false, networkMode: "always", enabled: () => !isSignedOut(client) },
      // The input of a form is not kept after it was sent.
      mutations: { retry: false, networkMode: "always", gcTime: 0 },
    },
  })

  function report(error: Error, { fallback, topic }: Record<string, unknown> = {}): void {
    const sessionEnded = error instanceof ApiError && error.sessionEnded
    // The next step is on the screen already.
    if (error instanceof ApiError && (error.isCancelled || error.secondFactor !== undefined)) return
    // The answer to a call from before the logout says nothing new.
    if (sessionEnded && isSignedOut(client)) return
    const message = (error instanceof ApiError && error.message) || String(fallback ?? ourFault)
    notify.error(message, String(topic))
    if (sessionEnded) endSession(client)
    // The server requires a second factor now. With that, the guards show the page where it is set up.
    if (error.message === secondFactorRequired) void client.invalidateQueries({ queryKey: keys.user })
  }

  return client
}

/** Resolves when nothing is being read for a screen. */
export function whenFetched(client: QueryClient): Promise<void> {
  if (client.isFetching() === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = client.getQueryCache().subscribe(() => {
      if (client.isFetching() > 0) return
      stop()
      resolve()
    })
  })
}
