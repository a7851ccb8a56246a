import { Button, TextInput } from "@mantine/core"
import { type KeyboardEvent, useEffect, useRef } from "react"
import { Form, SubmitButton } from "./Form.tsx"

interface NameFormProps {
  name: string
  /** The props of the input. */
  field: { value: string; onChange: (change: unknown) => void; error: string | undefined }
  /** Resolves to undefined when the new name was refused. The form then stays open. */
  save: () => Promise<unknown>
  onSaved: () => void
  onCancel: () => void
}

/** Replaces a name while it is edited. */
export function NameForm({ name, field, save, onSaved, onCancel }: NameFormProps) {
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => input.current?.select(), [])

  async function submit() {
    if ((await save()) !== undefined) onSaved()
  }
  const cancelOnEscape = (event: KeyboardEvent) => {
    if (event.key === "Escape") onCancel()
  }
  return (
    <Form label={`Rename ${name}`} className="name-form" onSubmit={submit}>
      <TextInput aria-label="Name" autoComplete="off" {...field} onKeyDown={cancelOnEscape} ref={input} />
      <SubmitButton>Save</SubmitButton>
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </Form>
  )
}
