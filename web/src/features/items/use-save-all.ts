import type { Environment } from "@envkeep/contract"
import { useOnce } from "../../ui/use-once.ts"
import { fromEditor } from "./line-breaks.ts"
import { useSaveItems } from "./queries.ts"
import { type Drafts, editedValue } from "./use-drafts.ts"

/** Saves all edited and new rows of an environment in one revision. What is typed while it runs stays unsaved. */
export function useSaveAll(environment: Environment, drafts: Drafts) {
  const save = useSaveItems(environment)
  return useOnce(async () => {
    const { newRows, added, note } = drafts
    // One that someone else has deleted is sent too. Then none is saved, because its row asks what to do first.
    const edited = drafts.rows.flatMap((item) => {
      const draft = drafts.of(item)
      return draft === undefined ? [] : [{ item, draft }]
    })
    const isAdding = added.values.name.trim() !== "" && added.values.value.trim() !== ""
    const items = [
      ...edited.map(({ item, draft }) => ({
        id: item.id,
        name: draft.name,
        value: editedValue(draft),
        revision: draft.base.revision,
      })),
      ...newRows.map(({ name, value, over }) => ({ name, value: fromEditor(value, over?.value ?? "") })),
      ...(isAdding ? [{ name: added.values.name, value: added.values.value }] : []),
    ]
    if (items.length === 0) return
    const done = await save({ id: environment.id, items, note }, (stored) => {
      for (const [at, { item }] of edited.entries()) drafts.rebase(item, stored[at]?.revision ?? 0)
    })
    if (done === undefined) return
    for (const { item, draft } of edited) drafts.discard(item, draft)
    drafts.discardNew(newRows)
    drafts.setNote("")
    if (isAdding && added.current() === added.values) added.reset()
  })
}
