import type { Item } from "@envkeep/contract"
import { useRef } from "react"
import { type Drafts, type Edit, editedValue, storedDraft } from "./use-drafts.ts"
import { useRefusedEdit } from "./use-refused-edit.ts"
import type { SaveItems } from "./use-save-items.ts"

interface ItemEditOptions {
  item: Item
  draft: Edit | undefined
  /** Goes into the history with the next save. */
  note: string
  onSave: SaveItems
  onDiscard: Drafts["discard"]
  onRebase: Drafts["rebase"]
  /** The row is about to go. */
  onGone: (item: Item) => void
  onSaved: () => void
}

/** What a row shows of an item, and the ways in which its edit ends. */
export function useItemEdit({ item, draft, note, ...on }: ItemEditOptions) {
  const { name, value } = draft ?? storedDraft(item)
  const { send, nameError, valueError } = useRefusedEdit(on.onSave, { name, value })
  const valueField = useRef<HTMLTextAreaElement>(null)
  const saveButton = useRef<HTMLButtonElement>(null)

  /** Saves over `seen`, the state that the user has seen. Over a later one, it is refused. */
  async function save(seen = draft?.base) {
    // Enter in an unedited field has nothing to send.
    if (draft === undefined || seen === undefined) return

    const wanted = { name, value: editedValue(draft), over: seen }
    const done = await send(wanted, { note, onStored: (stored) => stored.forEach(on.onRebase) })
    if (done === undefined) return
    // Without an edit the button is disabled and would lose the focus.
    if (document.activeElement === saveButton.current) focusValue()
    on.onDiscard(item, draft)
    on.onSaved()
  }

  function undo() {
    // The button is about to be removed.
    focusValue()
    on.onDiscard(item)
  }

  function focusValue() {
    valueField.current?.focus({ preventScroll: true })
  }

  /** Takes the place of the item that was deleted. */
  async function addAgain(deleted: Edit) {
    const done = await on.onSave([{ name, value: editedValue(deleted) }], { note })
    if (done !== undefined) letGo()
  }

  function letGo() {
    on.onGone(item)
    on.onDiscard(item)
  }

  return { name, value, nameError, valueError, valueField, saveButton, save, undo, addAgain, letGo }
}
