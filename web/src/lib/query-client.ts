import { sentences } from "@envkeep/contract"
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { ApiError } from "./api.ts"
import { notify } from "./notify.ts"
import { endSession } from "./state.ts"

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
      queries: { retry: false, networkMode: "always" },
      // The input of a form is not kept after it was sent.
      mutations: { retry: false, networkMode: "always", gcTime: 0 },
    },
  })

  function report(error: Error, { fallback, topic }: Record<string, unknown> = {}): void {
    const message = (error instanceof ApiError && error.message) || String(fallback ?? sentences.ourFault)
    notify.error(message, String(topic))
    if (error instanceof ApiError && error.sessionEnded) endSession(client)
  }

  return client
}
