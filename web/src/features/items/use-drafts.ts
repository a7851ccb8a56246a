import { type Environment, type Item, items } from "@envkeep/contract"
import { useState } from "react"
import { type CallForm, useCallForm } from "../../lib/call-form.ts"
import { toEditor } from "./line-breaks.ts"

/** What a row shows: the stored item, or the edit of it that is not saved yet. */
export interface Draft {
  name: string
  value: string
}

export interface Drafts {
  of: (item: Item) => Draft | undefined
  edit: (item: Item, change: Partial<Draft>) => void
  /** Drops an edit; with a draft, only if nothing was typed since that one: it was saved, what came after was not. */
  discard: (item: Item, draft?: Draft) => void
  /** How many rows hold unsaved edits. */
  unsaved: number
  /** Whether leaving would lose something: an edit of a row, or a half-typed new item. */
  losable: boolean
  /** What is typed for an item that does not exist yet. */
  added: CallForm<typeof items.create>
}

export function storedDraft({ name, value }: Item): Draft {
  return { name, value: toEditor(value ?? "") }
}

/**
 * What is typed into an environment and not saved yet, kept above its rows: a row that scrolls out of sight, or whose
 * environment is collapsed, is not rendered at all.
 */
export function useDrafts({ id, collectionItems }: Environment): Drafts {
  const [drafts, setDrafts] = useState<ReadonlyMap<number, Draft>>(new Map())
  const added = useCallForm(items.create, { name: "", value: "", subCollectionId: id })
  const [edits] = useState(() => ({
    edit: (item: Item, change: Partial<Draft>) =>
      setDrafts((held) => {
        const next = { ...(held.get(item.id) ?? storedDraft(item)), ...change }
        return differs(next, item) ? new Map(held).set(item.id, next) : without(held, item.id)
      }),
    discard: (item: Item, draft?: Draft) =>
      setDrafts((held) => (draft === undefined || held.get(item.id) === draft ? without(held, item.id) : held)),
  }))

  function of(item: Item): Draft | undefined {
    const draft = drafts.get(item.id)
    return draft !== undefined && differs(draft, item) ? draft : undefined
  }
  const unsaved = drafts.size === 0 ? 0 : collectionItems.filter((item) => of(item) !== undefined).length
  const losable = unsaved > 0 || added.values.name !== "" || added.values.value !== ""
  return { ...edits, of, unsaved, losable, added }
}

function differs(draft: Draft, item: Item): boolean {
  const stored = storedDraft(item)
  return draft.name !== stored.name || draft.value !== stored.value
}

function without(held: ReadonlyMap<number, Draft>, id: number): ReadonlyMap<number, Draft> {
  if (!held.has(id)) return held
  const next = new Map(held)
  next.delete(id)
  return next
}
