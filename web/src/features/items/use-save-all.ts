import { useOnce } from "../../ui/use-once.ts"
import { fromEditor } from "./line-breaks.ts"
import { type Drafts, editedValue } from "./use-drafts.ts"
import type { SaveItems } from "./use-save-items.ts"

/** Saves all edited and new rows of an environment in one revision. What is typed while it runs stays unsaved. */
export function useSaveAll(save: SaveItems, drafts: Drafts) {
  return useOnce(async () => {
    const { newRows, added, note } = drafts
    // One that someone else has deleted is sent too. Then none is saved, because its row asks what to do first.
    const edited = drafts.rows.flatMap((item) => {
      const draft = drafts.of(item)
      return draft === undefined ? [] : [{ item, draft }]
    })
    const isAdding = added.values.name.trim() !== "" && added.values.value.trim() !== ""
    const wanted = [
      ...edited.map(({ draft }) => ({ name: draft.name, value: editedValue(draft), over: draft.base })),
      ...newRows.map(({ name, value, over }) => ({ name, value: fromEditor(value, over?.value ?? "") })),
      ...(isAdding ? [{ name: added.values.name, value: added.values.value }] : []),
    ]
    if (wanted.length === 0) return
    const done = await save(wanted, { note, onStored: (stored) => stored.forEach(drafts.rebase) })
    if (done === undefined) return
    for (const { item, draft } of edited) drafts.discard(item, draft)
    drafts.discardNew(newRows)
    drafts.setNote("")
    if (isAdding && added.current() === added.values) added.reset()
  })
}
