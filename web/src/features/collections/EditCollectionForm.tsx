import { type Collection, collections } from "@envkeep/contract"
import { Button, Group, Textarea, TextInput } from "@mantine/core"
import { type KeyboardEvent, useEffect, useRef } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useUnsaved } from "../../ui/unsaved.tsx"
import { useUpdateCollection } from "./queries.ts"

export type CollectionField = "name" | "description"

interface EditCollectionFormProps {
  collection: Collection
  /** The field that the user asked to edit. */
  first: CollectionField
  onClose: () => void
}

/** Replaces the name and the description while they are edited. */
export function EditCollectionForm({ collection, first, onClose }: EditCollectionFormProps) {
  const { id, name, description } = collection
  const form = useCallForm(collections.update, { id, name, description }, { live: true })
  const update = useUpdateCollection(id)
  const nameField = useRef<HTMLInputElement>(null)
  const descriptionField = useRef<HTMLTextAreaElement>(null)
  useUnsaved(form.isDirty())

  useEffect(() => {
    if (first === "name") nameField.current?.select()
    else descriptionField.current?.focus()
  }, [first])

  async function submit() {
    if ((await form.send(update)) !== undefined) onClose()
  }
  function cancelOnEscape(event: KeyboardEvent) {
    if (event.key === "Escape") onClose()
  }
  function sendOrCancel(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
    // A long text is not discarded by a single key.
    if (form.values.description === description) cancelOnEscape(event)
  }
  return (
    <Form label={`Edit ${name}`} className="edit-collection" onSubmit={submit}>
      <TextInput label="Name" autoComplete="off" {...form.field("name")} onKeyDown={cancelOnEscape} ref={nameField} />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxRows={12}
        {...form.field("description")}
        value={form.values.description ?? ""}
        onKeyDown={sendOrCancel}
        ref={descriptionField}
      />
      <Group gap="xs">
        <SubmitButton>Save</SubmitButton>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </Form>
  )
}
