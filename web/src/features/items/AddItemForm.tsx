import type { items } from "@envkeep/contract"
import { type ClipboardEvent, useRef } from "react"
import type { CallForm } from "../../lib/call-form.ts"
import { useMaskedField } from "../../lib/mask-after.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { NameField } from "./NameField.tsx"
import { readLine } from "./pasted.ts"
import type { PasteOffer } from "./use-paste-offer.tsx"
import type { SaveItems } from "./use-save-items.ts"
import { ValueField } from "./ValueField.tsx"

interface AddItemFormProps {
  form: CallForm<typeof items.create>
  /** Goes into the history with the item. */
  note: string
  paste: PasteOffer
  focused: boolean
  onFocused: () => void
  onSave: SaveItems
  onAdded: (name: string) => void
}

export function AddItemForm({ form, note, paste, focused, onFocused, onSave, onAdded }: AddItemFormProps) {
  const nameField = useFocusWhen<HTMLInputElement>(focused, onFocused)
  const valueField = useRef<HTMLTextAreaElement>(null)
  const { isMasked, show } = useMaskedField(valueField)
  const name = form.field("name")
  const value = form.field("value")

  async function submit() {
    const sent = form.current()
    const done = await form.send((item, onRefused) => onSave([item], { note, needsValue: true, onRefused }))
    if (done === undefined) return
    onAdded(sent.name)
    // Anything typed since then belongs to the next item.
    if (form.current() === sent) form.reset()
    nameField.current?.focus()
  }
  function pasteIntoName(event: ClipboardEvent) {
    const text = event.clipboardData.getData("text")
    const line = name.value === "" && value.value === "" && !/[\r\n]./.test(text) ? readLine(text) : undefined
    if (line === undefined) return paste.intoName(event)
    // A whole `NAME=value` line fills both fields.
    event.preventDefault()
    name.onChange(line.name)
    value.onChange(line.value)
  }
  return (
    <Form label="Add item" className="item-row item-row--add" onSubmit={submit}>
      <NameField ref={nameField} label="Name" placeholder="DATABASE_URL" onPaste={pasteIntoName} {...name} />
      <ValueField
        ref={valueField}
        label="Value"
        masked={isMasked && value.value !== ""}
        onFocus={show}
        placeholder="Shift+Enter for a new line"
        onPaste={(event) => paste.intoValue(event, () => value.onChange(value.value))}
        {...value}
      />
      <div className="item-row__actions">
        <SubmitButton>Add item</SubmitButton>
      </div>
    </Form>
  )
}
