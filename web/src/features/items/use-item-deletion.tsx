import type { Conflict, Environment, Item } from "@envkeep/contract"
import { useState } from "react"
import type { Inheritance } from "../../lib/inheritance.ts"
import { whoAndWhen } from "../../lib/who-and-when.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { NoteField } from "../history/NoteField.tsx"
import { baseNameOf, rowAfter } from "./listed-items.ts"
import { useRemoveItem } from "./queries.ts"

interface ItemDeletionOptions {
  environment: Environment
  inheritance: Inheritance
  /** The visible rows in order, to find the next one. */
  rows: Item[]
  /** Gets what comes next: a row, or the place where items are added. */
  onDeleted: (next: number | "add") => void
}

/** One question for the whole list, not one per row. Afterwards the focus is on the next row, or where items are added. */
export function useItemDeletion({ environment, inheritance, rows, onDeleted }: ItemDeletionOptions) {
  const [item, setItem] = useState<Item>()
  const [asking, setAsking] = useState(false)
  const [note, setNote] = useState("")
  /** Who has changed the item since it was shown. */
  const [conflict, setConflict] = useState<Conflict>()
  const remove = useRemoveItem(environment.collectionId)

  function ask(next: Item) {
    setItem(next)
    setNote("")
    setConflict(undefined)
    setAsking(true)
  }

  async function confirm() {
    if (item === undefined) return
    const next = rowAfter(rows, item)
    let changed: Conflict | undefined
    const revision = conflict?.revision ?? item.revision
    const done = await remove(item, { revision, note }, (_, [first]) => {
      changed = first
    })
    setConflict(changed)
    // Asks again, now about the newer value.
    if (changed !== undefined) return
    setAsking(false)
    if (done !== undefined) onDeleted(next)
  }

  const baseName = item && baseNameOf(inheritance, inheritance.overridden.get(item.name))
  const dialog = (
    <ConfirmDialog
      opened={asking}
      title="Delete this item?"
      confirm={conflict === undefined ? "Delete" : "Delete anyway"}
      onConfirm={confirm}
      onClose={() => setAsking(false)}
      details={<NoteField note={note} onNote={setNote} />}
    >
      {conflict !== undefined && `${whoAndWhen("Changed", conflict)}. `}
      <strong>{conflict?.name ?? item?.name}</strong> and its value are deleted.{" "}
      {baseName === undefined
        ? "Apps that read it stop getting it within a second."
        : `Apps that read it get the value of ${baseName} within a second.`}{" "}
      You can restore it from the history.
    </ConfirmDialog>
  )
  return { ask, dialog }
}
