import { firstCalls, type trash } from "@envkeep/contract"
import { useQuery } from "@tanstack/react-query"
import { firstAnswer } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"

export function useTrashedCollections() {
  return useQuery({
    queryKey: keys.trashedCollections,
    queryFn: async () => (await firstAnswer<typeof trash.listCollections>(firstCalls.trashedCollections)).data,
  })
}
