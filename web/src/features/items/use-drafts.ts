import type { Item } from "@envkeep/contract"
import { useState } from "react"
import { toEditor } from "./line-breaks.ts"

/** What a row shows: the stored item, or the edit of it that is not saved yet. */
export interface Draft {
  name: string
  value: string
}

export interface Drafts {
  of: (item: Item) => Draft | undefined
  edit: (item: Item, change: Partial<Draft>) => void
  discard: (item: Item) => void
  /** How many rows hold unsaved edits. */
  unsaved: number
}

export function storedDraft({ name, value }: Item): Draft {
  return { name, value: toEditor(value ?? "") }
}

/** The unsaved edits of an environment, kept above its rows: a row that scrolls out of sight is not rendered at all. */
export function useDrafts(items: Item[]): Drafts {
  const [drafts, setDrafts] = useState<ReadonlyMap<number, Draft>>(new Map())
  const [edits] = useState(() => ({
    edit: (item: Item, change: Partial<Draft>) =>
      setDrafts((held) => {
        const next = { ...(held.get(item.id) ?? storedDraft(item)), ...change }
        return differs(next, item) ? new Map(held).set(item.id, next) : without(held, item.id)
      }),
    discard: (item: Item) => setDrafts((held) => without(held, item.id)),
  }))

  function of(item: Item): Draft | undefined {
    const draft = drafts.get(item.id)
    return draft !== undefined && differs(draft, item) ? draft : undefined
  }
  return { ...edits, of, unsaved: drafts.size === 0 ? 0 : items.filter((item) => of(item) !== undefined).length }
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
