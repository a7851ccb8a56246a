import { Button, TextInput } from "@mantine/core"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { Form, SubmitButton } from "./Form.tsx"
import { useReturnToOpener } from "./use-return-to-opener.ts"

interface NameFormProps {
  name: string
  /** Resolves to nothing when the new name was refused; the form then stays open. */
  save: (name: string) => Promise<unknown>
  onSaved: () => void
  onCancel: () => void
}

/** Stands in place of a name while it is edited. */
export function NameForm({ name, save, onSaved, onCancel }: NameFormProps) {
  const [next, setNext] = useState(name)
  const field = useRef<HTMLInputElement>(null)

  useReturnToOpener()
  useEffect(() => field.current?.select(), [])

  async function submit() {
    if ((await save(next)) !== undefined) onSaved()
  }
  const cancelOnEscape = (event: KeyboardEvent) => {
    if (event.key === "Escape") onCancel()
  }
  return (
    <Form label={`Rename ${name}`} className="name-form" onSubmit={submit}>
      <TextInput
        aria-label="Name"
        autoComplete="off"
        value={next}
        error={next.trim() === ""}
        onChange={(event) => setNext(event.currentTarget.value)}
        onKeyDown={cancelOnEscape}
        ref={field}
      />
      <SubmitButton>Save</SubmitButton>
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </Form>
  )
}
