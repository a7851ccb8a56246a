import type { Conflict, Environment, Item, Level } from "@envkeep/contract"
import { useEffect, useMemo, useRef, useState } from "react"
import type { Inheritance } from "../../lib/inheritance.ts"
import { useLiveChange } from "../../lib/live-changes.ts"
import { whoAndWhen } from "../../lib/who-and-when.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { NoteField } from "../history/NoteField.tsx"
import { useAbouts } from "../names/queries.ts"
import { AddItemForm } from "./AddItemForm.tsx"
import { AllConflicts } from "./AllConflicts.tsx"
import { ItemRow } from "./ItemRow.tsx"
import { ItemTools } from "./ItemTools.tsx"
import { inPlace } from "./in-place.ts"
import { NewRows } from "./NewRows.tsx"
import { NoItems } from "./NoItems.tsx"
import { OverrideRow } from "./OverrideRow.tsx"
import { useRemoveItem } from "./queries.ts"
import { ReadOnlyRow } from "./ReadOnlyRow.tsx"
import { useItemArrival } from "./use-arrive-at.ts"
import type { Drafts } from "./use-drafts.ts"
import { useItemDialogs } from "./use-item-dialogs.tsx"
import { usePasteOffer } from "./use-paste-offer.tsx"
import { useShown } from "./use-shown.ts"
import { VirtualRows } from "./VirtualRows.tsx"
import "./items.css"

interface ItemListProps {
  environment: Environment
  inheritance: Inheritance
  /** What the user is in the collection. */
  role: Level
  drafts: Drafts
  /** Where the history of the environment is. */
  historyPath: string
  /** Opens the import with a text, which may be empty. */
  onImport: (text: string) => void
  onSaveAll: () => Promise<void>
  /** Undefined if there is no environment to copy from. */
  onCopyFrom: (() => void) | undefined
}

export function ItemList({ environment, inheritance, role, drafts, historyPath, ...on }: ItemListProps) {
  const { onImport, onSaveAll, onCopyFrom } = on
  const { id: environmentId, collectionId, collectionItems: items } = environment
  const [filter, setFilter] = useState("")
  const [focusOn, setFocusOn] = useState<number | "add">()
  const [onFocused] = useState(() => () => setFocusOn(undefined))
  const { show, dialogs } = useItemDialogs({ environment, inheritance, role })
  const abouts = useAbouts(collectionId)
  const [forgetNote] = useState(() => () => drafts.setNote(""))
  const arrival = useItemArrival(environment)
  // The filter may hide the item that a link points to.
  if (arrival.item !== undefined && filter !== "") setFilter("")
  const shown = useShown()
  const { rows: own } = drafts
  const all = useMemo(() => inPlace(own, inheritance), [own, inheritance])
  const fresh = useLiveChange(environmentId)?.itemIds
  const search = filter.trim().toLowerCase()
  const matches = (name: string) => name.toLowerCase().includes(search)
  const overrides = new Map(drafts.newRows.map((row) => [row.over?.id, row]))
  const inherited = useMemo(() => new Set(inheritance.items.map(({ id }) => id)), [inheritance])
  const isUnsaved = (item: Item) => drafts.of(item) !== undefined || overrides.has(item.id)
  const isFound = (item: Item) => matches((drafts.of(item) ?? item).name)
  // A row with an unsaved edit is always listed, so that no edit is forgotten.
  const rows = search === "" ? all : all.filter((item) => isFound(item) || isUnsaved(item))
  const paste = usePasteOffer({ drafts, onImport })
  const latestRows = useRef(rows)
  useEffect(() => {
    latestRows.current = rows
  })
  const [onGone] = useState(() => (item: Item) => setFocusOn(rowAfter(latestRows.current, item)))
  const deletion = useDeletion({ environment, inheritance, rows, onDeleted: setFocusOn })
  const baseOf = (item: Item | undefined) => inheritance.bases.find(({ id }) => id === item?.subCollectionId)
  const { override, discard } = drafts
  const [onOverride] = useState(() => (item: Item) => {
    override(item)
    setFocusOn(item.id)
  })
  const [onOverridden] = useState(() => (saved: Item) => {
    forgetNote()
    setFocusOn(saved.id)
  })
  const [onInherited] = useState(() => (item: Item, base: Item) => {
    // An edit of it would look like a conflict with its deletion.
    discard(item)
    forgetNote()
    setFocusOn(base.id)
  })
  const [focusRow] = useState(
    () =>
      ({ id }: Item) =>
        setFocusOn(id),
  )

  function renderInherited(item: Item) {
    const row = overrides.get(item.id)
    const state = {
      shown: shown.isShown(item.id),
      about: abouts.get(item.name),
      focused: focusOn === item.id,
      onFocused,
    }
    if (row === undefined) {
      return (
        <ReadOnlyRow
          {...state}
          item={item}
          collectionId={collectionId}
          valuesHidden={false}
          inheritedFrom={baseOf(item)?.name}
          onToggle={shown.toggle}
          onAbout={show.about}
          onHistory={show.history}
          onOverride={onOverride}
        />
      )
    }
    return (
      <OverrideRow
        {...state}
        environment={environment}
        inherited={item}
        environmentName={baseOf(item)?.name ?? ""}
        row={row}
        note={drafts.note}
        onEdit={drafts.editNew}
        onDiscard={drafts.discardNew}
        onEditValue={shown.edit}
        onCancelled={focusRow}
        onSaved={onOverridden}
      />
    )
  }
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
      <NewRows
        // What it would override may have been deleted in the meantime.
        rows={drafts.newRows.filter(({ over }) => over === undefined || !inherited.has(over.id))}
        drafts={drafts}
        onSave={onSaveAll}
      />
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
          total={items.length + inherited.size}
          allShown={shown.all}
          historyPath={historyPath}
          onFilter={setFilter}
          onToggleAll={shown.toggleAll}
        />
      )}
      <AllConflicts
        collectionId={collectionId}
        environmentId={environmentId}
        drafts={drafts}
        // The buttons are gone then.
        onSettled={(items) => setFocusOn(items.find((item) => !drafts.isDeleted(item))?.id ?? "add")}
      />
      <VirtualRows
        rows={rows}
        filter={search}
        arrival={arrival}
        render={(item) =>
          inherited.has(item.id) ? (
            renderInherited(item)
          ) : (
            <ItemRow
              item={item}
              overridden={inheritance.overridden.get(item.name)}
              overriddenIn={baseOf(inheritance.overridden.get(item.name))?.name}
              draft={drafts.of(item)}
              isDeleted={drafts.isDeleted(item)}
              isInConflict={drafts.isInConflict(item)}
              isFresh={fresh?.has(item.id) === true}
              shown={shown.isShown(item.id)}
              about={abouts.get(item.name)}
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
              onAbout={show.about}
              onHistory={show.history}
              onDelete={deletion.ask}
              onSaved={forgetNote}
              onInherited={onInherited}
            />
          )
        }
      />
      {deletion.dialog}
      {dialogs}
      {paste.dialog}
    </>
  )
}

/** What takes the focus when a row goes: the next one, or the place where items are added. */
function rowAfter(rows: Item[], item: Item): number | "add" {
  return rows[rows.findIndex(({ id }) => id === item.id) + 1]?.id ?? "add"
}

interface DeletionOptions {
  environment: Environment
  inheritance: Inheritance
  /** The visible rows in order, to find the next one. */
  rows: Item[]
  /** Gets what comes next: a row, or the place where items are added. */
  onDeleted: (next: number | "add") => void
}

/** One question for the whole list, not one per row. Afterwards the focus is on the next row, or where items are added. */
function useDeletion({ environment, inheritance, rows, onDeleted }: DeletionOptions) {
  const [item, setItem] = useState<Item>()
  const [asking, setAsking] = useState(false)
  const [note, setNote] = useState("")
  /** Who has changed the item since it was shown. */
  const [conflict, setConflict] = useState<Conflict>()
  const remove = useRemoveItem(environment.collectionId)
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
  const inherited = item && inheritance.overridden.get(item.name)
  const base = inheritance.bases.find(({ id }) => id === inherited?.subCollectionId)
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
      {base === undefined
        ? "Apps that read it stop getting it within a second."
        : `Apps that read it get the value of ${base.name} within a second.`}{" "}
      You can restore it from the history.
    </ConfirmDialog>
  )
  return { ask, dialog }
}
