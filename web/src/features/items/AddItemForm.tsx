import { TextInput } from "@mantine/core"
import { useRef, useState } from "react"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useCreateItem } from "./queries.ts"
import { blankDraft, type Drafts } from "./use-drafts.ts"
import { ValueField } from "./ValueField.tsx"

interface AddItemFormProps {
  environmentId: number
  collectionId: number
  drafts: Drafts
}

export function AddItemForm({ drafts, ...ids }: AddItemFormProps) {
  const { name, value } = drafts.added
  const [tried, setTried] = useState(false)
  const nameField = useRef<HTMLInputElement>(null)
  const create = useCreateItem(ids)

  async function submit() {
    const sent = drafts.added
    const done = await create(sent)
    setTried(done === undefined)
    if (done === undefined) return
    drafts.setAdded((now) => (now === sent ? blankDraft : now))
    nameField.current?.focus()
  }
  return (
    <Form label="Add item" className="item-row item-row--add" onSubmit={submit}>
      <TextInput
        ref={nameField}
        wrapperProps={{ "data-add-item": ids.environmentId }}
        label="Name"
        classNames={{ input: "name-text" }}
        placeholder="DATABASE_URL"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={name}
        error={tried && name.trim() === ""}
        onChange={(event) => drafts.setAdded({ name: event.currentTarget.value, value })}
      />
      <ValueField
        label="Value"
        placeholder="Shift+Enter for a new line"
        wrong={tried && value.trim() === ""}
        value={value}
        onChange={(next) => drafts.setAdded({ name, value: next })}
      />
      <div className="item-row__actions">
        <SubmitButton>Add item</SubmitButton>
      </div>
    </Form>
  )
}
