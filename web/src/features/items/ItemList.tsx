import type { Item } from "@envkeep/contract"
import { useMemo, useState } from "react"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
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
  items: Item[]
  drafts: Drafts
  /** Opens the import with a text, which may be empty. */
  onImport: (text: string) => void
  onSaveAll: () => Promise<void>
  /** Undefined if there is no environment to copy from. */
  onCopyFrom: (() => void) | undefined
}

export function ItemList({ collectionId, items, drafts, onImport, onSaveAll, onCopyFrom }: ItemListProps) {
  const [filter, setFilter] = useState("")
  const [focusOn, setFocusOn] = useState<number | "add">()
  const [onFocused] = useState(() => () => setFocusOn(undefined))
  const shown = useShown()
  const sorted = useMemo(() => items.toSorted((a, b) => a.id - b.id), [items])
  const search = filter.trim().toLowerCase()
  const matches = (name: string) => name.toLowerCase().includes(search)
  const isFound = (item: Item) => matches((drafts.of(item) ?? item).name)
  // A row with an unsaved edit is always listed, so that no edit is forgotten.
  const rows = search === "" ? sorted : sorted.filter((item) => isFound(item) || drafts.of(item) !== undefined)
  const paste = usePasteOffer({ drafts, onImport })
  const deletion = useDeletion({ collectionId, rows, onDeleted: setFocusOn })

  return (
    <>
      <AddItemForm
        collectionId={collectionId}
        form={drafts.added}
        paste={paste.on}
        focused={focusOn === "add"}
        onFocused={onFocused}
        // What was just added must be visible.
        onAdded={(name) => !matches(name) && setFilter("")}
      />
      <NewRows drafts={drafts} onSave={onSaveAll} />
      {items.length === 0 ? (
        <NoItems onImport={() => onImport("")} onAdd={() => setFocusOn("add")} onCopyFrom={onCopyFrom} />
      ) : (
        <ItemTools
          filter={filter}
          found={search === "" ? rows.length : rows.filter(isFound).length}
          total={items.length}
          allShown={shown.all}
          onFilter={setFilter}
          onToggleAll={shown.toggleAll}
        />
      )}
      <VirtualRows
        rows={rows}
        render={(item) => (
          <ItemRow
            item={item}
            draft={drafts.of(item)}
            shown={shown.isShown(item.id)}
            collectionId={collectionId}
            paste={paste.on}
            focused={focusOn === item.id}
            onFocused={onFocused}
            onEdit={drafts.edit}
            onDiscard={drafts.discard}
            onToggle={shown.toggle}
            onEditValue={shown.edit}
            onDelete={deletion.ask}
          />
        )}
      />
      {deletion.dialog}
      {paste.dialog}
    </>
  )
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
  const remove = useRemoveItem(collectionId)
  const [ask] = useState(() => (next: Item) => {
    setItem(next)
    setAsking(true)
  })

  async function confirm() {
    if (item === undefined) return
    const next = rows[rows.findIndex(({ id }) => id === item.id) + 1]
    const done = await remove({ id: item.id })
    setAsking(false)
    if (done !== undefined) onDeleted(next?.id ?? "add")
  }
  const dialog = (
    <ConfirmDialog
      opened={asking}
      title="Delete this item?"
      confirm="Delete"
      onConfirm={confirm}
      onClose={() => setAsking(false)}
    >
      <strong>{item?.name}</strong> and its value are deleted. This cannot be undone.
    </ConfirmDialog>
  )
  return { ask, dialog }
}
