import { sentences } from "@envkeep/contract"
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { ApiError } from "./api.ts"
import { notify } from "./notify.ts"
import { endSession } from "./state.ts"

/** The cache behind every screen. Each failed call, read or write, is told here and nowhere else. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => tell(error) }),
    mutationCache: new MutationCache({ onError: (error, _input, _result, { meta }) => tell(error, meta?.["blank"]) }),
    defaultOptions: {
      // A failure is told at once, also when the browser thinks it is offline: it is often wrong about a local server.
      queries: { retry: false, networkMode: "always" },
      // What was typed into a form is not kept after it was sent.
      mutations: { retry: false, networkMode: "always", gcTime: 0 },
    },
  })

  function tell(error: Error, blank: unknown = sentences.ourFault): void {
    notify.error((error instanceof ApiError && error.message) || String(blank))
    if (error instanceof ApiError && error.sessionEnded) endSession(client)
  }

  return client
}
