import { type CollectionSummary, members } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../../lib/api.ts"
import { keys, reloadCollection } from "../../../lib/state.ts"
import { collectionEndedHere } from "../../../lib/use-live-collection.ts"
import { useWrite } from "../../../lib/write.ts"

export function useMembers(collectionId: number) {
  return useQuery({
    queryKey: keys.members(collectionId),
    queryFn: () => api(members.list, { id: collectionId }),
    refetchOnMount: "always",
  })
}

/** A change can be about the user's own role too, so the collection is read again. */
function useReload(collectionId: number) {
  const client = useQueryClient()
  return {
    async reload() {
      await client.invalidateQueries({ queryKey: keys.sharing(collectionId) })
      await client.invalidateQueries({ queryKey: keys.transferRequests })
      void client.invalidateQueries({ queryKey: keys.collections })
      await reloadCollection(client, collectionId)
    },
  }
}

export function useAddMember(collectionId: number) {
  return useWrite(members.add, useReload(collectionId))
}

export function useChangeMember(collectionId: number) {
  return useWrite(members.change, useReload(collectionId))
}

export function useRemoveMember(collectionId: number) {
  return useWrite(members.remove, useReload(collectionId))
}

export function useRequestTransfer(collectionId: number) {
  return useWrite(members.transfer, useReload(collectionId))
}

export function useTakeOver(collectionId: number) {
  return useWrite(members.takeOver, useReload(collectionId))
}

export function useEndTransfer(collectionId: number) {
  return useWrite(members.endTransfer, useReload(collectionId))
}

export function useShareWithTeam(collectionId: number) {
  return useWrite(members.shareWithTeam, useReload(collectionId))
}

export function useChangeTeam(collectionId: number) {
  return useWrite(members.changeTeam, useReload(collectionId))
}

export function useRemoveTeam(collectionId: number) {
  return useWrite(members.removeTeam, useReload(collectionId))
}

/** Takes it off the list, which is read again: a team may still give access. Its own cache entry expires. */
export function useLeave(collectionId: number) {
  const client = useQueryClient()
  const leave = useWrite(members.leave, {
    reload() {
      client.setQueryData<CollectionSummary[]>(keys.collections, (cached) =>
        cached?.filter(({ id }) => id !== collectionId),
      )
      void client.invalidateQueries({ queryKey: keys.collections })
    },
  })
  return () => leave({ id: collectionId }, undefined, { onStored: () => collectionEndedHere(collectionId) })
}
