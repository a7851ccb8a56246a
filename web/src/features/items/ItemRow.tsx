import type { About, Item } from "@envkeep/contract"
import { VisuallyHidden } from "@mantine/core"
import {
  IconArrowBackUp,
  IconCopy,
  IconEye,
  IconEyeOff,
  IconHistory,
  IconInfoCircle,
  IconTrash,
} from "@tabler/icons-react"
import { memo, useRef } from "react"
import { copy } from "../../lib/clipboard.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { misfit } from "../names/problems.ts"
import { ItemConflict } from "./ItemConflict.tsx"
import { NameField } from "./NameField.tsx"
import { OverrideNote } from "./OverrideNote.tsx"
import { useSaveItems, useUpdateItem } from "./queries.ts"
import { type Drafts, type Edit, editedValue, storedDraft } from "./use-drafts.ts"
import type { PasteOffer } from "./use-paste-offer.tsx"
import { useRefusedEdit } from "./use-refused-edit.ts"
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
  isDeleted,
  isInConflict,
  overridden,
  overriddenIn,
  isFresh,
  shown: isUnmasked,
  about,
  collectionId,
  note,
  paste,
  focused,
  ...on
}: ItemRowProps) {
  const update = useUpdateItem(collectionId)
  const add = useSaveItems({ collectionId, revision: item.revision })
  const { name, value } = draft ?? storedDraft(item)
  const unsaved = draft !== undefined
  const edit = useRefusedEdit(update, { name, value })
  const damaged = item.value === null
  const isPlain = about?.isSecret === false
  const shown = isUnmasked || isPlain
  const hint = damaged && !unsaved ? undefined : misfit(about, value)
  const deleteButton = useFocusWhen<HTMLButtonElement>(focused && overridden === undefined, on.onFocused)
  const valueField = useRef<HTMLTextAreaElement>(null)
  const saveButton = useRef<HTMLButtonElement>(null)

  /** Saves over `seen`, the state that the user has seen. Over a later one, it is refused. */
  async function save(seen = draft?.base) {
    // Enter in an unedited field has nothing to send.
    if (draft === undefined || seen === undefined) return

    const input = { id: item.id, name, value: editedValue(draft), revision: seen.revision, note }
    const done = await edit.send(input, (stored) => on.onRebase(item, stored.revision))
    if (done === undefined) return
    // Without an edit the button is disabled and would lose the focus.
    if (document.activeElement === saveButton.current) focusValue()
    on.onDiscard(item, draft)
    on.onSaved()
  }
  function undo() {
    // The button is about to be removed.
    focusValue()
    on.onDiscard(item)
  }
  function focusValue() {
    valueField.current?.focus({ preventScroll: true })
  }
  /** Takes the place of the item that was deleted. */
  async function addAgain(deleted: Edit) {
    const items = [{ name, value: editedValue(deleted) }]
    if ((await add({ id: item.subCollectionId, items, note })) !== undefined) letGo()
  }
  function letGo() {
    on.onGone(item)
    on.onDiscard(item)
  }
  const classes = ["item-row", unsaved && "item-row--unsaved", isFresh && "item-row--fresh"].filter(Boolean).join(" ")
  return (
    <Form className={classes} onSubmit={() => save()}>
      <NameField
        value={name}
        error={edit.nameError ?? name.trim() === ""}
        onChange={(next) => on.onEdit(item, { name: next })}
        onPaste={paste.intoName}
      />
      <ValueField
        ref={valueField}
        masked={!shown}
        placeholder={damaged ? "Damaged: the stored value cannot be read. Type a new one" : "Empty"}
        error={edit.valueError ?? (damaged && !unsaved)}
        value={value}
        onChange={(next) => on.onEdit(item, { value: next })}
        onFocus={(event) => on.onEditValue(item.id, event.currentTarget)}
        onPaste={(event) => paste.intoValue(event, () => on.onEdit(item, { value }))}
      />
      <div className="item-row__value-actions">
        {unsaved && <VisuallyHidden>Unsaved</VisuallyHidden>}
        {unsaved && (
          <IconButton label="Undo edits" onClick={undo}>
            <Icon shape={IconArrowBackUp} />
          </IconButton>
        )}
        {!isPlain && (
          <IconButton label={shown ? "Hide value" : "Show value"} onClick={() => on.onToggle(item.id)}>
            {shown ? <Icon shape={IconEyeOff} /> : <Icon shape={IconEye} />}
          </IconButton>
        )}
        <IconButton
          label="Copy value"
          disabled={damaged}
          onClick={() => copy(draft ? editedValue(draft) : (item.value ?? ""))}
        >
          <Icon shape={IconCopy} />
        </IconButton>
        <IconButton label="About" {...(about && { className: "item-row__described" })} onClick={() => on.onAbout(item)}>
          <Icon shape={IconInfoCircle} />
        </IconButton>
      </div>
      <div className="item-row__actions">
        <SubmitButton ref={saveButton} variant={unsaved ? "filled" : "subtle"} disabled={!unsaved} px="xs">
          Save
        </SubmitButton>
        <IconButton label="History" onClick={() => on.onHistory(item)}>
          <Icon shape={IconHistory} />
        </IconButton>
        <IconButton ref={deleteButton} label="Delete" className="danger-button" onClick={() => on.onDelete(item)}>
          <Icon shape={IconTrash} />
        </IconButton>
      </div>
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
          onKeepMine={() => (isDeleted ? addAgain(draft) : save(item))}
          onTakeTheirs={isDeleted ? letGo : undo}
        />
      )}
    </Form>
  )
})
