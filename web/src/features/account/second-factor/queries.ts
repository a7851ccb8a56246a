import { secondFactors } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../../lib/api.ts"
import { announceSession } from "../../../lib/other-tabs.ts"
import { keys } from "../../../lib/state.ts"
import { useWrite } from "../../../lib/write.ts"

export function useSecondFactors() {
  return useQuery({ queryKey: keys.secondFactors, queryFn: () => api(secondFactors.status, {}) })
}

/** The secret of a new app. It is on the screen then, so there is no message. */
export function useBeginTotp() {
  return useWrite(secondFactors.beginTotp, { quiet: true })
}

export function useConfirmTotp() {
  return useWrite(secondFactors.confirmTotp, { reload: useReloadFactors() })
}

export function useRemoveTotp() {
  return useWrite(secondFactors.removeTotp, { reload: useReloadFactors() })
}

export function useCreateRecoveryCodes() {
  return useWrite(secondFactors.createRecoveryCodes, { reload: useReloadFactors() })
}

/** Also the sessions, because the first factor ends the others, and what the server requires of the user, in every tab. */
export function useReloadFactors() {
  const client = useQueryClient()
  return async () => {
    const changed = [keys.secondFactors, keys.sessions, keys.user]
    await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })))
    announceSession()
  }
}
