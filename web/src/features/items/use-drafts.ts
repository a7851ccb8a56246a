import { type Environment, type Item, items } from "@envkeep/contract"
import { useRef, useState } from "react"
import { type CallForm, useCallForm } from "../../lib/call-form.ts"
import { fromEditor, toEditor } from "./line-breaks.ts"

/** What the fields of a row show: the stored item or its unsaved edit. */
export interface Draft {
  name: string
  value: string
}

/** An unsaved edit of a stored item. */
export interface Edit extends Draft {
  /** The item as it was when the edit began. If it has a later revision now, someone else has changed it. */
  base: Item
}

/** A row for an item that is not stored yet. */
export interface NewRow extends Draft {
  key: number
  /** The inherited item that it overrides, if it is edited in the place of that. */
  over?: Item
}

export interface Drafts {
  of: (item: Item) => Edit | undefined
  /** The stored items, and those that someone else has deleted while they were edited here. */
  rows: Item[]
  isDeleted: (item: Item) => boolean
  /** Whether someone else has changed or deleted the item while it was edited here. */
  isInConflict: (item: Item) => boolean
  edit: (item: Item, change: Partial<Draft>) => void
  /** Discards an edit. With a draft, only if that is still the latest one: what was typed after it is not saved yet. */
  discard: (item: Item, draft?: Draft) => void
  /** What was typed since then is an edit of what has just been stored. */
  rebase: (stored: Item) => void
  newRows: readonly NewRow[]
  /** Puts variables into rows: a stored name gets an edited value, each other one a new row. */
  split: (variables: readonly Draft[]) => void
  /** Starts a new row with the name and value of an inherited item. */
  override: (inherited: Item) => void
  editNew: (row: NewRow, change: Partial<Draft>) => void
  /** Removes new rows. What was typed since then is not saved yet, so such a row stays. */
  discardNew: (rows: readonly NewRow[]) => void
  /** How many rows have unsaved edits or are new. */
  unsaved: number
  /** Whether leaving the page would lose an edited row or a half-typed new item. */
  wouldBeLost: boolean
  /** Goes with the next save into the history. */
  note: string
  setNote: (note: string) => void
  /** The form for a new item. */
  added: CallForm<typeof items.create>
}

export function storedDraft({ name, value }: Item): Draft {
  return { name, value: toEditor(value ?? "") }
}

/** The value of an edit as it is saved. */
export function editedValue({ value, base }: Edit): string {
  return fromEditor(value, base.value ?? "")
}

/**
 * The unsaved edits of an environment. They are kept above the rows, because a row that is scrolled out of view or whose
 * environment is collapsed is not rendered.
 */
export function useDrafts({ id, collectionItems }: Environment): Drafts {
  const [drafts, setDrafts] = useState<ReadonlyMap<number, Edit>>(new Map())
  const [newRows, setNewRows] = useState<readonly NewRow[]>([])
  const nextKey = useRef(0)
  const [note, setNote] = useState("")
  const added = useCallForm(items.create, { name: "", value: "", subCollectionId: id })
  const [edits] = useState(() => ({
    edit: (item: Item, change: Partial<Draft>) =>
      setDrafts((current) => {
        const next = { ...(current.get(item.id) ?? { ...storedDraft(item), base: item }), ...change }
        return differs(next, item) ? new Map(current).set(item.id, next) : without(current, item.id)
      }),
    discard: (item: Item, draft?: Draft) =>
      setDrafts((current) =>
        draft === undefined || isSame(current.get(item.id), draft) ? without(current, item.id) : current,
      ),
    rebase: (stored: Item) =>
      setDrafts((current) => {
        const edit = current.get(stored.id)
        return edit === undefined ? current : new Map(current).set(stored.id, { ...edit, base: stored })
      }),
    override: (over: Item) =>
      setNewRows((current) =>
        current.some((row) => row.over?.id === over.id)
          ? current
          : [...current, { key: nextKey.current++, ...storedDraft(over), over }],
      ),
    editNew: (row: NewRow, change: Partial<Draft>) =>
      setNewRows((current) => current.map((one) => (one.key === row.key ? { ...one, ...change } : one))),
    discardNew: (rows: readonly NewRow[]) => setNewRows((current) => current.filter((one) => !rows.includes(one))),
  }))

  function of(item: Item): Edit | undefined {
    const draft = drafts.get(item.id)
    return draft !== undefined && differs(draft, item) ? draft : undefined
  }
  function split(variables: readonly Draft[]) {
    const stored = new Map(collectionItems.map((item) => [item.name, item]))
    const unknown = new Map(newRows.map((row) => [row.name, row]))
    for (const { name, value } of variables) {
      const item = stored.get(name)
      if (item !== undefined) edits.edit(item, { value: toEditor(value) })
      else unknown.set(name, { key: nextKey.current++, name, value })
    }
    setNewRows([...unknown.values()])
  }
  const stored = drafts.size === 0 ? undefined : new Set(collectionItems.map((item) => item.id))
  const isDeleted = (item: Item) => stored !== undefined && !stored.has(item.id)
  function isInConflict(item: Item): boolean {
    const edit = of(item)
    return edit !== undefined && (isDeleted(item) || item.revision > edit.base.revision)
  }
  const deleted = Array.from(drafts.values(), ({ base }) => base).filter(isDeleted)
  const rows = deleted.length === 0 ? collectionItems : [...collectionItems, ...deleted]
  const edited = drafts.size === 0 ? 0 : rows.filter((item) => of(item) !== undefined).length
  const unsaved = edited + newRows.length
  const wouldBeLost = unsaved > 0 || added.values.name !== "" || added.values.value !== ""
  return { ...edits, of, rows, isDeleted, isInConflict, newRows, split, unsaved, wouldBeLost, note, setNote, added }
}

function differs(draft: Draft, item: Item): boolean {
  const stored = storedDraft(item)
  return draft.name !== stored.name || draft.value !== stored.value
}

function isSame(one: Draft | undefined, other: Draft): boolean {
  return one?.name === other.name && one.value === other.value
}

function without(current: ReadonlyMap<number, Edit>, id: number): ReadonlyMap<number, Edit> {
  if (!current.has(id)) return current
  const next = new Map(current)
  next.delete(id)
  return next
}
