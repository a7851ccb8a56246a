import type { Item } from "@envkeep/contract"
import { useRef } from "react"
import { useSaveItems, useUpdateItem } from "./queries.ts"
import { type Drafts, type Edit, editedValue, storedDraft } from "./use-drafts.ts"
import { useRefusedEdit } from "./use-refused-edit.ts"

interface ItemEditOptions {
  item: Item
  draft: Edit | undefined
  collectionId: number
  /** Goes into the history with the next save. */
  note: string
  onDiscard: Drafts["discard"]
  onRebase: Drafts["rebase"]
  /** The row is about to go. */
  onGone: (item: Item) => void
  onSaved: () => void
}

/** What a row shows of an item, and the ways in which its edit ends. */
export function useItemEdit({ item, draft, collectionId, note, ...on }: ItemEditOptions) {
  const update = useUpdateItem(collectionId)
  const add = useSaveItems({ collectionId, revision: item.revision })
  const { name, value } = draft ?? storedDraft(item)
  const { send, nameError, valueError } = useRefusedEdit(update, { name, value })
  const valueField = useRef<HTMLTextAreaElement>(null)
  const saveButton = useRef<HTMLButtonElement>(null)

  /** Saves over `seen`, the state that the user has seen. Over a later one, it is refused. */
  async function save(seen = draft?.base) {
    // Enter in an unedited field has nothing to send.
    if (draft === undefined || seen === undefined) return

    const input = { id: item.id, name, value: editedValue(draft), revision: seen.revision, note }
    const done = await send(input, (stored) => on.onRebase(item, stored.revision))
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
    const items = [{ name, value: editedValue(deleted) }]
    if ((await add({ id: item.subCollectionId, items, note })) !== undefined) letGo()
  }

  function letGo() {
    on.onGone(item)
    on.onDiscard(item)
  }

  return { name, value, nameError, valueError, valueField, saveButton, save, undo, addAgain, letGo }
}
