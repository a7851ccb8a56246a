import { type AddedPasskey, passkeys } from "@envkeep/contract"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { ApiError, api } from "../../../lib/api.ts"
import { createPasskey } from "../../../lib/passkeys.ts"
import { keys } from "../../../lib/state.ts"
import { type OnRefused, topicOf, useWrite } from "../../../lib/write.ts"
import { useReloadFactors } from "./queries.ts"

export function usePasskeys() {
  return useQuery({ queryKey: keys.passkeys, queryFn: () => api(passkeys.list, {}) })
}

/** A passkey is a second factor too. */
function useReload() {
  const client = useQueryClient()
  const reloadFactors = useReloadFactors()
  return async () => {
    await client.invalidateQueries({ queryKey: keys.passkeys })
    await reloadFactors()
  }
}

/**
 * Has the user make a passkey and adds it. What fails is on the screen, whether in the browser or at the server. `onStored` is
 * called before the reload.
 */
export function useAddPasskey() {
  const add = useWrite(passkeys.add, { reload: useReload() })
  const { mutateAsync: make } = useMutation({
    mutationFn: () => createPasskey(() => api(passkeys.beginAdding, {})),
    meta: { topic: topicOf(passkeys.add) },
  })
  return async ({ name }: { name: string }, onRefused: OnRefused, onStored: (added: AddedPasskey) => void) => {
    const answer = await make().catch(ignoreApiError)
    return answer && add({ name, answer }, onRefused, { onStored })
  }
}

export function useRenamePasskey() {
  return useWrite(passkeys.rename, { reload: useReload() })
}

export function useRemovePasskey() {
  return useWrite(passkeys.remove, { reload: useReload() })
}

/** It is already on the screen. Anything else is a bug. */
function ignoreApiError(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
  return undefined
}
