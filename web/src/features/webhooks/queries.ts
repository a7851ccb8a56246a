import { type WebhookDelivery, webhooks } from "@envkeep/contract"
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

export function useWebhooks(collectionId: number) {
  return useQuery({
    queryKey: keys.webhooks(collectionId),
    queryFn: () => api(webhooks.list, { id: collectionId }),
    refetchOnMount: "always",
  })
}

const whileWaitingMs = 1_000
/** The clocks of the server and of this machine may differ by so much. */
const whileRetryingMs = 5_000

/** Follows what is being delivered. When there is something new to deliver, the live stream of the collection tells. */
export function useDeliveries(collectionId: number, webhookId: number) {
  return useInfiniteQuery({
    queryKey: keys.deliveries(collectionId, webhookId),
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }): Promise<{ deliveries: WebhookDelivery[]; next: number | null }> =>
      api(webhooks.deliveries, { id: collectionId, webhookId, before: pageParam }),
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnMount: "always",
    refetchInterval: ({ state }) => {
      const pending = state.data?.pages[0]?.deliveries.filter((one) => one.state === "pending") ?? []
      if (pending.length === 0) return false
      const nextTries = pending.flatMap(({ nextAttemptAt }) =>
        nextAttemptAt === null ? [] : Date.parse(nextAttemptAt),
      )
      return nextTries.length === 0 ? whileWaitingMs : Math.max(whileRetryingMs, Math.min(...nextTries) - Date.now())
    },
  })
}

/** Everything about a collection's webhooks, the deliveries too. */
function useReload(collectionId: number) {
  const client = useQueryClient()
  return { reload: () => client.invalidateQueries({ queryKey: keys.webhooks(collectionId) }) }
}

export function useCreateWebhook(collectionId: number) {
  return useWrite(webhooks.create, useReload(collectionId))
}

export function useUpdateWebhook(collectionId: number) {
  return useWrite(webhooks.update, useReload(collectionId))
}

export function useDeleteWebhook(collectionId: number) {
  return useWrite(webhooks.remove, useReload(collectionId))
}

export function useRotateSecret(collectionId: number) {
  return useWrite(webhooks.rotateSecret, useReload(collectionId))
}

export function useSendTest(collectionId: number) {
  return useWrite(webhooks.test, useReload(collectionId))
}

export function useRedeliver(collectionId: number) {
  return useWrite(webhooks.redeliver, useReload(collectionId))
}
