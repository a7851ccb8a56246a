import { environments } from "@envkeep/contract"
import { useWrite } from "../../lib/write.ts"
import { useReloadHistory, useUndoChange } from "../history/queries.ts"

export function useCopyItems(collectionId: number) {
  const undoChange = useUndoChange(collectionId)
  return useWrite(environments.copy, {
    reload: useReloadHistory(collectionId),
    undo: ({ id, revision, copied }) => (copied === 0 ? undefined : () => undoChange(id, revision)),
  })
}
