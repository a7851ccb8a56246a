import type { Environment, Item, Level } from "@envkeep/contract"
import { useState } from "react"
import type { Inheritance } from "../../lib/inheritance.ts"
import { useLiveChange } from "../../lib/live-changes.ts"
import { useAbouts } from "../names/queries.ts"
import { AddItemForm } from "./AddItemForm.tsx"
import { AllConflicts } from "./AllConflicts.tsx"
import { ItemTools } from "./ItemTools.tsx"
import { ListedRow } from "./ListedRow.tsx"
import { matches } from "./listed-items.ts"
import { NewRows } from "./NewRows.tsx"
import { NoItems } from "./NoItems.tsx"
import type { Drafts } from "./use-drafts.ts"
import { useItemDeletion } from "./use-item-deletion.tsx"
import { useItemDialogs } from "./use-item-dialogs.tsx"
import { useListedItems } from "./use-listed-items.ts"
import { usePasteOffer } from "./use-paste-offer.tsx"
import { useRowEvents } from "./use-row-events.ts"
import type { SaveItems } from "./use-save-items.ts"
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
  onSave: SaveItems
  onSaveAll: () => Promise<void>
  /** Undefined if there is no environment to copy from. */
  onCopyFrom: (() => void) | undefined
}

export function ItemList({ environment, inheritance, role, drafts, historyPath, ...on }: ItemListProps) {
  const { onImport, onSave, onSaveAll, onCopyFrom } = on
  const { id: environmentId, collectionId, collectionItems: items } = environment
  const [focusOn, setFocusOn] = useState<number | "add">()
  const { show, dialogs } = useItemDialogs({ environment, inheritance, role })
  const abouts = useAbouts(collectionId)
  const shown = useShown()
  const fresh = useLiveChange(environmentId)?.itemIds
  const paste = usePasteOffer({ drafts, onImport })

  const listed = useListedItems({ environment, inheritance, drafts })
  const { search, all, rows, overrides, inherited } = listed
  const deletion = useItemDeletion({ environment, inheritance, rows, onDeleted: setFocusOn })
  const rowEvents = useRowEvents({
    drafts,
    rows,
    onFocus: setFocusOn,
    onSave,
    onAbout: show.about,
    onHistory: show.history,
    onDelete: deletion.ask,
  })

  function showAdded(name: string) {
    drafts.setNote("")
    // What was just added must be visible.
    if (!matches(name, search)) listed.setFilter("")
  }

  function focusSettled(settled: Item[]) {
    // The buttons are gone then.
    setFocusOn(settled.find((item) => !drafts.isDeleted(item))?.id ?? "add")
  }

  return (
    <>
      <AddItemForm
        form={drafts.added}
        note={drafts.note}
        paste={paste.on}
        focused={focusOn === "add"}
        onFocused={rowEvents.onFocused}
        onSave={onSave}
        onAdded={showAdded}
      />
      <NewRows rows={listed.newRows} drafts={drafts} onSave={onSaveAll} />
      {all.length === 0 ? (
        <NoItems
          historyPath={historyPath}
          onImport={() => onImport("")}
          onAdd={() => setFocusOn("add")}
          onCopyFrom={onCopyFrom}
        />
      ) : (
        <ItemTools
          filter={listed.filter}
          found={listed.found}
          total={items.length + inherited.size}
          allShown={shown.all}
          historyPath={historyPath}
          onFilter={listed.setFilter}
          onToggleAll={shown.toggleAll}
        />
      )}
      <AllConflicts drafts={drafts} onSave={onSave} onSettled={focusSettled} />
      <VirtualRows
        rows={rows}
        filter={search}
        arrival={listed.arrival}
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
