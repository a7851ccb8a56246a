import type { Environment, Item, Level } from "@envkeep/contract"
import { useMemo, useState } from "react"
import type { Inheritance } from "../../lib/inheritance.ts"
import { useLiveChange } from "../../lib/live-changes.ts"
import { useStable } from "../../lib/use-stable.ts"
import { useAbouts } from "../names/queries.ts"
import { AddItemForm } from "./AddItemForm.tsx"
import { AllConflicts } from "./AllConflicts.tsx"
import { ItemTools } from "./ItemTools.tsx"
import { ListedRow, type RowEvents } from "./ListedRow.tsx"
import { listedItems, matches, rowAfter } from "./listed-items.ts"
import { NewRows } from "./NewRows.tsx"
import { NoItems } from "./NoItems.tsx"
import type { Drafts } from "./use-drafts.ts"
import { useItemDeletion } from "./use-item-deletion.tsx"
import { useItemDialogs } from "./use-item-dialogs.tsx"
import { useItemFilter } from "./use-item-filter.ts"
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
  const [focusOn, setFocusOn] = useState<number | "add">()
  const { show, dialogs } = useItemDialogs({ environment, inheritance, role })
  const abouts = useAbouts(collectionId)
  const shown = useShown()
  const fresh = useLiveChange(environmentId)?.itemIds
  const paste = usePasteOffer({ drafts, onImport })

  const { filter, setFilter, search, all, arrival } = useItemFilter({ environment, inheritance, own: drafts.rows })
  const overrides = new Map(drafts.newRows.map((row) => [row.over?.id, row]))
  const inherited = useMemo(() => new Set(inheritance.items.map(({ id }) => id)), [inheritance])
  const { rows, found } = listedItems(all, {
    search,
    nameOf: (item) => (drafts.of(item) ?? item).name,
    isUnsaved: (item) => drafts.of(item) !== undefined || overrides.has(item.id),
  })

  const deletion = useItemDeletion({ environment, inheritance, rows, onDeleted: setFocusOn })
  const rowEvents = useStable<RowEvents>({
    onFocused: () => setFocusOn(undefined),
    onAbout: show.about,
    onHistory: show.history,
    onDelete: deletion.ask,
    onGone: (item) => setFocusOn(rowAfter(rows, item)),
    onSaved: () => drafts.setNote(""),
    onOverride(item) {
      drafts.override(item)
      setFocusOn(item.id)
    },
    onOverrideCancelled: ({ id }) => setFocusOn(id),
    onOverridden({ id }) {
      drafts.setNote("")
      setFocusOn(id)
    },
    onInherited(item, base) {
      // An edit of it would look like a conflict with its deletion.
      drafts.discard(item)
      drafts.setNote("")
      setFocusOn(base.id)
    },
  })

  function showAdded(name: string) {
    drafts.setNote("")
    // What was just added must be visible.
    if (!matches(name, search)) setFilter("")
  }

  function focusSettled(settled: Item[]) {
    // The buttons are gone then.
    setFocusOn(settled.find((item) => !drafts.isDeleted(item))?.id ?? "add")
  }

  return (
    <>
      <AddItemForm
        collectionId={collectionId}
        form={drafts.added}
        note={drafts.note}
        paste={paste.on}
        focused={focusOn === "add"}
        onFocused={rowEvents.onFocused}
        onAdded={showAdded}
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
          found={found}
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
        onSettled={focusSettled}
      />
      <VirtualRows
        rows={rows}
        filter={search}
        arrival={arrival}
        render={(item) => (
          <ListedRow
            item={item}
            environment={environment}
            inheritance={inheritance}
            isInherited={inherited.has(item.id)}
            override={overrides.get(item.id)}
            drafts={drafts}
            shown={shown}
            about={abouts.get(item.name)}
            isFresh={fresh?.has(item.id) === true}
            focused={focusOn === item.id}
            paste={paste.on}
            on={rowEvents}
          />
        )}
      />
      {deletion.dialog}
      {dialogs}
      {paste.dialog}
    </>
  )
}
