import { environments, type InputOf } from "@envkeep/contract"
import { useWrite } from "../../lib/write.ts"
import { useReloadHistory, useUndoChange } from "../history/queries.ts"
import { asItWas } from "../history/undone-words.ts"

export function useCopyItems(collectionId: number) {
  const undoChange = useUndoChange(collectionId)
  const copy = useWrite(environments.copy, { reload: useReloadHistory(collectionId) })
  return (input: InputOf<typeof environments.copy>) =>
    copy(input, undefined, {
      undo: ({ name, copied, ...after }) => (copied === 0 ? undefined : () => undoChange(after, asItWas(name))),
    })
}
