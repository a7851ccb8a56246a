import type { Conflict, Item } from "@envkeep/contract"
import { useEffect, useMemo, useRef, useState } from "react"
import { useLiveChange } from "../../lib/live-changes.ts"
import { whoAndWhen } from "../../lib/who-and-when.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { ItemHistoryDialog, type ItemHistoryOf } from "../history/ItemHistoryDialog.tsx"
import { NoteField } from "../history/NoteField.tsx"
import { AddItemForm } from "./AddItemForm.tsx"
import { ItemRow } from "./ItemRow.tsx"
import { ItemTools } from "./ItemTools.tsx"
import { NewRows } from "./NewRows.tsx"
import { NoItems } from "./NoItems.tsx"
import { useRemoveItem } from "./queries.ts"
import type { Drafts } from "./use-drafts.ts"
import { usePasteOffer } from "./use-paste-offer.tsx"
import { useShown } from "./use-shown.ts"
import { VirtualRows } from "./VirtualRows.tsx"
import "./items.css"

interface ItemListProps {
  collectionId: number
  environmentId: number
  items: Item[]
  drafts: Drafts
  /** Where the history of the environment is. */
  historyPath: string
  /** Opens the import with a text, which may be empty. */
  onImport: (text: string) => void
  onSaveAll: () => Promise<void>
  /** Undefined if there is no environment to copy from. */
  onCopyFrom: (() => void) | undefined
}

export function ItemList({
  collectionId,
  environmentId,
  items,
  drafts,
  historyPath,
  onImport,
  onSaveAll,
  onCopyFrom,
}: ItemListProps) {
  const [filter, setFilter] = useState("")
  const [focusOn, setFocusOn] = useState<number | "add">()
  const [onFocused] = useState(() => () => setFocusOn(undefined))
  const [historyOf, setHistoryOf] = useState<ItemHistoryOf>()
  const [showHistory] = useState(() => ({ name, subCollectionId }: Item) => {
    setHistoryOf({ environmentId: subCollectionId, collectionId, name })
  })
  const [forgetNote] = useState(() => () => drafts.setNote(""))
  const shown = useShown()
  const { rows: all } = drafts
  const sorted = useMemo(() => all.toSorted((a, b) => a.id - b.id), [all])
  const fresh = useLiveChange(environmentId)?.itemIds
  const search = filter.trim().toLowerCase()
  const matches = (name: string) => name.toLowerCase().includes(search)
  const isFound = (item: Item) => matches((drafts.of(item) ?? item).name)
  // A row with an unsaved edit is always listed, so that no edit is forgotten.
  const rows = search === "" ? sorted : sorted.filter((item) => isFound(item) || drafts.of(item) !== undefined)
  const paste = usePasteOffer({ drafts, onImport })
  const latestRows = useRef(rows)
  useEffect(() => {
    latestRows.current = rows
  })
  const [onGone] = useState(() => (item: Item) => setFocusOn(rowAfter(latestRows.current, item)))
  const deletion = useDeletion({ collectionId, rows, onDeleted: setFocusOn })

  return (
    <>
      <AddItemForm
        collectionId={collectionId}
        form={drafts.added}
        note={drafts.note}
        paste={paste.on}
        focused={focusOn === "add"}
        onFocused={onFocused}
        // What was just added must be visible.
        onAdded={(name) => {
          forgetNote()
          if (!matches(name)) setFilter("")
        }}
      />
      <NewRows drafts={drafts} onSave={onSaveAll} />
      {all.length === 0 ? (
        <NoItems
          historyPath={historyPath}
          onImport={() => onImport("")}
          onAdd={() => setFocusOn("add")}
          onCopyFrom={onCopyFrom}
        />
      ) : (
        <ItemTools
          filter={filter}
          found={search === "" ? rows.length : rows.filter(isFound).length}
          total={items.length}
          allShown={shown.all}
          historyPath={historyPath}
          onFilter={setFilter}
          onToggleAll={shown.toggleAll}
        />
      )}
      <VirtualRows
        rows={rows}
        filter={search}
        render={(item) => (
          <ItemRow
            item={item}
            draft={drafts.of(item)}
            isDeleted={drafts.isDeleted(item)}
            isFresh={fresh?.has(item.id) === true}
            shown={shown.isShown(item.id)}
            collectionId={collectionId}
            note={drafts.note}
            paste={paste.on}
            focused={focusOn === item.id}
            onFocused={onFocused}
            onEdit={drafts.edit}
            onDiscard={drafts.discard}
            onRebase={drafts.rebase}
            onGone={onGone}
            onToggle={shown.toggle}
            onEditValue={shown.edit}
            onHistory={showHistory}
            onDelete={deletion.ask}
            onSaved={forgetNote}
          />
        )}
      />
      {deletion.dialog}
      <ItemHistoryDialog item={historyOf} onChange={setHistoryOf} />
      {paste.dialog}
    </>
  )
}

/** What takes the focus when a row goes: the next one, or the place where items are added. */
function rowAfter(rows: Item[], item: Item): number | "add" {
  return rows[rows.findIndex(({ id }) => id === item.id) + 1]?.id ?? "add"
}

interface DeletionOptions {
  collectionId: number
  /** The visible rows in order, to find the next one. */
  rows: Item[]
  /** Gets what comes next: a row, or the place where items are added. */
  onDeleted: (next: number | "add") => void
}

/** One question for the whole list, not one per row. Afterwards the focus is on the next row, or where items are added. */
function useDeletion({ collectionId, rows, onDeleted }: DeletionOptions) {
  const [item, setItem] = useState<Item>()
  const [asking, setAsking] = useState(false)
  const [note, setNote] = useState("")
  /** Who has changed the item since it was shown. */
  const [conflict, setConflict] = useState<Conflict>()
  const remove = useRemoveItem(collectionId)
  const [ask] = useState(() => (next: Item) => {
    setItem(next)
    setNote("")
    setConflict(undefined)
    setAsking(true)
  })

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
      <strong>{conflict?.name ?? item?.name}</strong> and its value are deleted. Apps that read it stop getting it
      within a second. You can restore it from the history.
    </ConfirmDialog>
  )
  return { ask, dialog }
}
