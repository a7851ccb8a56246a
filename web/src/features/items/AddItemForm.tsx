import type { items } from "@envkeep/contract"
import { TextInput } from "@mantine/core"
import type { CallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useCreateItem } from "./queries.ts"
import { ValueField } from "./ValueField.tsx"

interface AddItemFormProps {
  collectionId: number
  form: CallForm<typeof items.create>
  focused: boolean
  onFocused: () => void
  onAdded: (name: string) => void
}

export function AddItemForm({ collectionId, form, focused, onFocused, onAdded }: AddItemFormProps) {
  const nameField = useFocusWhen<HTMLInputElement>(focused, onFocused)
  const create = useCreateItem(collectionId)

  async function submit() {
    const sent = form.current()
    if ((await form.send(create)) === undefined) return
    onAdded(sent.name)
    // Anything typed since then belongs to the next item.
    if (form.current() === sent) form.reset()
    nameField.current?.focus()
  }
  return (
    <Form label="Add item" className="item-row item-row--add" onSubmit={submit}>
      <TextInput
        ref={nameField}
        label="Name"
        classNames={{ input: "name-text" }}
        placeholder="DATABASE_URL"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        {...form.field("name")}
      />
      <ValueField label="Value" placeholder="Shift+Enter for a new line" {...form.field("value")} />
      <div className="item-row__actions">
        <SubmitButton>Add item</SubmitButton>
      </div>
    </Form>
  )
}
