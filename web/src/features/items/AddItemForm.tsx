import { TextInput } from "@mantine/core"
import { useRef, useState } from "react"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useCreateItem } from "./queries.ts"
import { ValueField } from "./ValueField.tsx"

export function AddItemForm(ids: { environmentId: number; collectionId: number }) {
  const [name, setName] = useState("")
  const [value, setValue] = useState("")
  const [tried, setTried] = useState(false)
  const nameField = useRef<HTMLInputElement>(null)
  const create = useCreateItem(ids)

  async function submit() {
    const done = await create({ name, value })
    setTried(done === undefined)
    if (done === undefined) return
    setName("")
    setValue("")
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
        value={name}
        error={tried && name.trim() === ""}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ValueField
        label="Value"
        placeholder="Shift+Enter for a new line"
        wrong={tried && value.trim() === ""}
        value={value}
        onChange={setValue}
      />
      <div className="item-row__actions">
        <SubmitButton>Add item</SubmitButton>
      </div>
    </Form>
  )
}
