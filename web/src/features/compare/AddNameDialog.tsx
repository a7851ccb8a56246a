import { items } from "@envkeep/contract"
import { Button, Group, Text } from "@mantine/core"
import { useState } from "react"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { NameField } from "../items/NameField.tsx"

interface AddNameDialogProps {
  opened: boolean
  onClose: () => void
  /** The name gets a row, in which its values can be typed. */
  onAdd: (name: string) => void
}

export function AddNameDialog({ opened, onClose, onAdd }: AddNameDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Add a name" centered>
      {opened && <AddNameForm onClose={onClose} onAdd={onAdd} />}
    </Dialog>
  )
}

function AddNameForm({ onClose, onAdd }: Pick<AddNameDialogProps, "onClose" | "onAdd">) {
  const [name, setName] = useState("")
  const [error, setError] = useState<string>()
  async function submit() {
    const checked = items.update.input.shape.name.safeParse(name)
    if (checked.success) onAdd(checked.data)
    else setError(checked.error.issues[0]?.message)
  }
  return (
    <Form onSubmit={submit}>
      <NameField
        label="Name"
        data-autofocus
        placeholder="DATABASE_URL"
        value={name}
        error={error}
        onChange={(next) => {
          setName(next)
          setError(undefined)
        }}
      />
      <Text size="sm" c="dimmed" mt="sm">
        It gets a row of its own. An environment has it once you type a value there.
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton>Continue</SubmitButton>
      </Group>
    </Form>
  )
}
