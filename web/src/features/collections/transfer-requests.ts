import { firstCalls, type members } from "@envkeep/contract"
import { useQuery } from "@tanstack/react-query"
import { firstAnswer } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"

/** The collections that the user is asked to take over. */
export function useTransferRequests() {
  return useQuery({
    queryKey: keys.transferRequests,
    queryFn: async () => (await firstAnswer<typeof members.transferRequests>(firstCalls.transferRequests)).data,
    refetchOnMount: "always",
    refetchOnWindowFocus: "always",
  })
}
