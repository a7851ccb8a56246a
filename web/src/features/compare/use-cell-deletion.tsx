import type { Conflict, Environment, Item } from "@envkeep/contract"
import { useState } from "react"
import { whoAndWhen } from "../../lib/who-and-when.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { useRemoveItem } from "../items/queries.ts"

interface Question {
  item: Item
  environment: Environment
  /** Who has changed the item since it was shown. */
  conflict: Conflict | undefined
}

/**
 * Deletes at once, because it can be undone. It asks first in a protected environment, and if someone else has changed
 * the item since it was shown.
 */
export function useCellDeletion(collectionId: number) {
  const [asking, setAsking] = useState(false)
  const [question, setQuestion] = useState<Question>()
  const remove = useRemoveItem(collectionId)

  function ask(next: Question) {
    setQuestion(next)
    setAsking(true)
  }
  async function removeNow({ item, environment, conflict }: Question) {
    let changed: Conflict | undefined
    await remove(item, { revision: conflict?.revision ?? item.revision }, (_, [first]) => {
      changed = first
    })
    if (changed === undefined) setAsking(false)
    else ask({ item, environment, conflict: changed })
  }
  function start(item: Item, environment: Environment) {
    const first = { item, environment, conflict: undefined }
    if (environment.isProtected) ask(first)
    else void removeNow(first)
  }
  const dialog = question !== undefined && (
    <ConfirmDialog
      opened={asking}
      title="Delete this item?"
      confirm={question.conflict === undefined ? "Delete" : "Delete anyway"}
      onConfirm={() => removeNow(question)}
      onClose={() => setAsking(false)}
    >
      {question.conflict !== undefined && `${whoAndWhen("Changed", question.conflict)}. `}
      <strong>{question.item.name}</strong> and its value are deleted from <strong>{question.environment.name}</strong>.
      Apps that read it stop getting it within a second. You can undo this, or restore it from the history.
    </ConfirmDialog>
  )
  return { start, dialog }
}
