import type { About, Item } from "@envkeep/contract"
import { memo } from "react"
import { Form } from "../../ui/Form.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { misfit } from "../names/problems.ts"
import { ItemConflict } from "./ItemConflict.tsx"
import { RowActions, ValueActions } from "./ItemRowActions.tsx"
import { NameField } from "./NameField.tsx"
import { OverrideNote } from "./OverrideNote.tsx"
import type { Drafts, Edit } from "./use-drafts.ts"
import { useItemEdit } from "./use-item-edit.ts"
import type { PasteOffer } from "./use-paste-offer.tsx"
import type { SaveItems } from "./use-save-items.ts"
import { ValueField } from "./ValueField.tsx"

interface ItemRowProps {
  item: Item
  draft: Edit | undefined
  /** Someone else has deleted it while it was edited here. */
  isDeleted: boolean
  isInConflict: boolean
  /** The item of a base that it hides, and the name of that base. */
  overridden: Item | undefined
  overriddenIn: string | undefined
  /** Someone else has just changed it. */
  isFresh: boolean
  shown: boolean
  /** Undefined if the name is not described. */
  about: About | undefined
  collectionId: number
  /** Goes into the history with the next save. */
  note: string
  paste: PasteOffer
  /** Whether the Delete button takes the focus now, or the one that goes back to the inherited value. */
  focused: boolean
  onFocused: () => void
  onSave: SaveItems
  onEdit: Drafts["edit"]
  onDiscard: Drafts["discard"]
  onRebase: Drafts["rebase"]
  /** The row is about to go. */
  onGone: (item: Item) => void
  onToggle: (id: number) => void
  /** The value got the focus. */
  onEditValue: (id: number, field: HTMLElement) => void
  onAbout: (item: Item) => void
  onHistory: (item: Item) => void
  onDelete: (item: Item) => void
  onSaved: () => void
  /** It was deleted, so that the inherited value counts. */
  onInherited: (item: Item, inherited: Item) => void
}

/** Memoized, so that typing in one row does not render the others. */
export const ItemRow = memo(function ItemRow({
  item,
  draft,
  overridden,
  about,
  paste,
  focused,
  ...rest
}: ItemRowProps) {
  const { isDeleted, isInConflict, overriddenIn, isFresh, collectionId, note, ...on } = rest
  const { onSave, onDiscard, onRebase, onGone, onSaved } = on
  const edit = useItemEdit({ item, draft, note, onSave, onDiscard, onRebase, onGone, onSaved })
  const { name, value } = edit
  const unsaved = draft !== undefined
  const damaged = item.value === null && !unsaved
  const isPlain = about?.isSecret === false
  const shown = rest.shown || isPlain
  const hint = damaged ? undefined : misfit(about, value)
  const deleteButton = useFocusWhen<HTMLButtonElement>(focused && overridden === undefined, on.onFocused)
  const classes = ["item-row", unsaved && "item-row--unsaved", isFresh && "item-row--fresh"].filter(Boolean).join(" ")
  return (
    <Form className={classes} onSubmit={() => edit.save()}>
      <NameField
        value={name}
        error={edit.nameError ?? name.trim() === ""}
        onChange={(next) => on.onEdit(item, { name: next })}
        onPaste={paste.intoName}
      />
      <ValueField
        ref={edit.valueField}
        masked={!shown}
        placeholder={item.value === null ? "Damaged: the stored value cannot be read. Type a new one" : "Empty"}
        error={edit.valueError ?? damaged}
        value={value}
        onChange={(next) => on.onEdit(item, { value: next })}
        onFocus={(event) => on.onEditValue(item.id, event.currentTarget)}
        onPaste={(event) => paste.intoValue(event, () => on.onEdit(item, { value }))}
      />
      <ValueActions
        item={item}
        draft={draft}
        about={about}
        shown={shown}
        onUndo={edit.undo}
        onToggle={isPlain ? undefined : () => on.onToggle(item.id)}
        onAbout={() => on.onAbout(item)}
      />
      <RowActions
        unsaved={unsaved}
        saveButton={edit.saveButton}
        deleteButton={deleteButton}
        onHistory={() => on.onHistory(item)}
        onDelete={() => on.onDelete(item)}
      />
      {hint !== undefined && <p className="item-row__hint">{hint}</p>}
      {overridden !== undefined && overriddenIn !== undefined && !isDeleted && (
        <OverrideNote
          item={item}
          inherited={overridden}
          environmentName={overriddenIn}
          collectionId={collectionId}
          note={note}
          focused={focused}
          onFocused={on.onFocused}
          onInherited={() => on.onInherited(item, overridden)}
        />
      )}
      {isInConflict && draft !== undefined && (
        <ItemConflict
          item={item}
          isDeleted={isDeleted}
          isRenamed={item.name !== draft.base.name}
          shown={shown}
          onKeepMine={() => (isDeleted ? edit.addAgain(draft) : edit.save(item))}
          onTakeTheirs={isDeleted ? edit.letGo : edit.undo}
        />
      )}
    </Form>
  )
})
