import type { About, Environment, Item } from "@envkeep/contract"
import type { Inheritance } from "../../lib/inheritance.ts"
import { ItemRow } from "./ItemRow.tsx"
import { baseNameOf } from "./listed-items.ts"
import { OverrideRow } from "./OverrideRow.tsx"
import { ReadOnlyRow } from "./ReadOnlyRow.tsx"
import type { Drafts, NewRow } from "./use-drafts.ts"
import type { PasteOffer } from "./use-paste-offer.tsx"
import type { SaveItems } from "./use-save-items.ts"
import type { ShownValues } from "./use-shown.ts"

/** What rows do to the list. The same functions at each render, so that typing in one row renders no other. */
export interface RowEvents {
  onSave: SaveItems
  onFocused: () => void
  onAbout: (item: Item) => void
  onHistory: (item: Item) => void
  onDelete: (item: Item) => void
  /** An unsaved edit goes, and its row with it. */
  onGone: (item: Item) => void
  onSaved: () => void
  onOverride: (inherited: Item) => void
  onOverrideCancelled: (inherited: Item) => void
  onOverridden: (saved: Item) => void
  onInherited: (deleted: Item, inherited: Item) => void
}

interface ListedRowProps {
  item: Item
  environment: Environment
  inheritance: Inheritance
  isInherited: boolean
  /** The row in which a value of its own is typed for an inherited item. */
  override: NewRow | undefined
  drafts: Drafts
  shown: ShownValues
  /** Undefined if the name is not described. */
  about: About | undefined
  /** Someone else has just changed it. */
  isFresh: boolean
  focused: boolean
  paste: PasteOffer
  on: RowEvents
}

/** One item: of the environment itself, inherited, or inherited and about to get a value of its own. */
export function ListedRow(props: ListedRowProps) {
  if (!props.isInherited) return <OwnRow {...props} />
  if (props.override === undefined) return <InheritedRow {...props} />
  return <OverriddenRow {...props} row={props.override} />
}

function OwnRow({ item, environment, inheritance, drafts, shown, on, ...rest }: ListedRowProps) {
  const overridden = inheritance.overridden.get(item.name)
  return (
    <ItemRow
      item={item}
      overridden={overridden}
      overriddenIn={baseNameOf(inheritance, overridden)}
      draft={drafts.of(item)}
      isDeleted={drafts.isDeleted(item)}
      isInConflict={drafts.isInConflict(item)}
      isFresh={rest.isFresh}
      shown={shown.isShown(item.id)}
      about={rest.about}
      collectionId={environment.collectionId}
      note={drafts.note}
      paste={rest.paste}
      focused={rest.focused}
      onFocused={on.onFocused}
      onSave={on.onSave}
      onEdit={drafts.edit}
      onDiscard={drafts.discard}
      onRebase={drafts.rebase}
      onGone={on.onGone}
      onToggle={shown.toggle}
      onEditValue={shown.edit}
      onAbout={on.onAbout}
      onHistory={on.onHistory}
      onDelete={on.onDelete}
      onSaved={on.onSaved}
      onInherited={on.onInherited}
    />
  )
}

function InheritedRow({ item, environment, inheritance, shown, about, focused, on }: ListedRowProps) {
  return (
    <ReadOnlyRow
      item={item}
      collectionId={environment.collectionId}
      valuesHidden={false}
      inheritedFrom={baseNameOf(inheritance, item)}
      shown={shown.isShown(item.id)}
      about={about}
      focused={focused}
      onFocused={on.onFocused}
      onToggle={shown.toggle}
      onAbout={on.onAbout}
      onHistory={on.onHistory}
      onOverride={on.onOverride}
    />
  )
}

function OverriddenRow({ item, row, inheritance, drafts, shown, on, ...rest }: ListedRowProps & { row: NewRow }) {
  return (
    <OverrideRow
      inherited={item}
      environmentName={baseNameOf(inheritance, item) ?? ""}
      row={row}
      shown={shown.isShown(item.id)}
      about={rest.about}
      note={drafts.note}
      focused={rest.focused}
      onFocused={on.onFocused}
      onSave={on.onSave}
      onEdit={drafts.editNew}
      onDiscard={drafts.discardNew}
      onEditValue={shown.edit}
      onCancelled={on.onOverrideCancelled}
      onSaved={on.onOverridden}
    />
  )
}
