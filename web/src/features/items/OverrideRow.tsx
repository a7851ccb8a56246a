import type { About, Item } from "@envkeep/contract"
import { VisuallyHidden } from "@mantine/core"
import { IconArrowBackUp } from "@tabler/icons-react"
import { memo } from "react"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { misfit } from "../names/problems.ts"
import { fromEditor } from "./line-breaks.ts"
import type { Drafts, NewRow } from "./use-drafts.ts"
import type { SaveItems } from "./use-save-items.ts"
import { ValueField } from "./ValueField.tsx"

interface OverrideRowProps {
  /** The item as the base has it. */
  inherited: Item
  environmentName: string
  row: NewRow
  shown: boolean
  /** Undefined if the name is not described. */
  about: About | undefined
  /** Goes into the history with the next save. */
  note: string
  /** Whether the value takes the focus now. */
  focused: boolean
  onFocused: () => void
  onSave: SaveItems
  onEdit: Drafts["editNew"]
  onDiscard: Drafts["discardNew"]
  /** The value got the focus. */
  onEditValue: (id: number, field: HTMLElement) => void
  onCancelled: (inherited: Item) => void
  onSaved: (saved: Item) => void
}

/** In the place of an inherited item while a value of its own is typed. */
export const OverrideRow = memo(function OverrideRow({
  inherited,
  environmentName,
  row,
  note,
  ...rest
}: OverrideRowProps) {
  const valueField = useFocusWhen<HTMLTextAreaElement>(rest.focused, rest.onFocused)
  const hint = misfit(rest.about, row.value)

  async function submit() {
    const wanted = { name: row.name, value: fromEditor(row.value, inherited.value ?? "") }
    // Before the reload, which brings the row of the new item: they must not be there at the same time.
    const [saved] = (await rest.onSave([wanted], { note, onStored: () => rest.onDiscard([row]) })) ?? []
    if (saved !== undefined) rest.onSaved(saved)
  }
  function cancel() {
    rest.onDiscard([row])
    rest.onCancelled(inherited)
  }
  return (
    <Form className="item-row item-row--unsaved" onSubmit={submit}>
      <span className="item-row__text item-row__name">
        <span className="name-text">{row.name}</span>
        <span className="item-row__origin">{`overrides ${environmentName}`}</span>
      </span>
      <ValueField
        ref={valueField}
        masked={!rest.shown && rest.about?.isSecret !== false}
        placeholder="Empty"
        value={row.value}
        onChange={(value) => rest.onEdit(row, { value })}
        onFocus={(event) => rest.onEditValue(inherited.id, event.currentTarget)}
      />
      <div className="item-row__value-actions">
        <VisuallyHidden>Unsaved</VisuallyHidden>
        <IconButton label="Keep the inherited value" onClick={cancel}>
          <Icon shape={IconArrowBackUp} />
        </IconButton>
      </div>
      <div className="item-row__actions">
        <SubmitButton px="xs">Save</SubmitButton>
      </div>
      {hint !== undefined && <p className="item-row__hint">{hint}</p>}
    </Form>
  )
})
