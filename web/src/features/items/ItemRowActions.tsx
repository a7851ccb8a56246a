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
import type { Ref } from "react"
import { copy } from "../../lib/clipboard.ts"
import { SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { type Edit, editedValue } from "./use-drafts.ts"

interface ValueActionsProps {
  item: Item
  draft: Edit | undefined
  about: About | undefined
  shown: boolean
  onUndo: () => void
  /** Undefined if the value is no secret, so that it is always shown. */
  onToggle: (() => void) | undefined
  onAbout: () => void
}

/** What can be done with the value, in the end of its field. */
export function ValueActions({ item, draft, about, shown, onUndo, onToggle, onAbout }: ValueActionsProps) {
  return (
    <div className="item-row__value-actions">
      {draft !== undefined && <VisuallyHidden>Unsaved</VisuallyHidden>}
      {draft !== undefined && (
        <IconButton label="Undo edits" onClick={onUndo}>
          <Icon shape={IconArrowBackUp} />
        </IconButton>
      )}
      {onToggle && (
        <IconButton label={shown ? "Hide value" : "Show value"} onClick={onToggle}>
          <Icon shape={shown ? IconEyeOff : IconEye} />
        </IconButton>
      )}
      <IconButton
        label="Copy value"
        disabled={item.value === null}
        onClick={() => copy(draft ? editedValue(draft) : (item.value ?? ""))}
      >
        <Icon shape={IconCopy} />
      </IconButton>
      <IconButton label="About" {...(about && { className: "item-row__described" })} onClick={onAbout}>
        <Icon shape={IconInfoCircle} />
      </IconButton>
    </div>
  )
}

interface RowActionsProps {
  unsaved: boolean
  saveButton: Ref<HTMLButtonElement>
  deleteButton: Ref<HTMLButtonElement>
  onHistory: () => void
  onDelete: () => void
}

/** What can be done with the whole item. */
export function RowActions({ unsaved, saveButton, deleteButton, onHistory, onDelete }: RowActionsProps) {
  return (
    <div className="item-row__actions">
      <SubmitButton ref={saveButton} variant={unsaved ? "filled" : "subtle"} disabled={!unsaved} px="xs">
        Save
      </SubmitButton>
      <IconButton label="History" onClick={onHistory}>
        <Icon shape={IconHistory} />
      </IconButton>
      <IconButton ref={deleteButton} label="Delete" className="danger-button" onClick={onDelete}>
        <Icon shape={IconTrash} />
      </IconButton>
    </div>
  )
}
