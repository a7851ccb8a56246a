import { Button, Group, Text, TextInput } from "@mantine/core"
import { type ReactNode, useState } from "react"
import type { OnRefused } from "../../lib/write.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"

interface TypedNameDialogProps {
  opened: boolean
  title: string
  /** What has to be typed. */
  name: string
  /** Says what the name is of: "Type the name of the collection". */
  label: string
  /** The label of the button that confirms. */
  confirm: string
  /** Resolves to undefined if it was refused. The dialog then stays open. */
  onConfirm: (typed: string, onRefused: OnRefused) => Promise<unknown>
  onClose: () => void
  children: ReactNode
}

/** Asks before what cannot be undone, with a name to type, so that it does not happen by a click. */
export function TypedNameDialog({ opened, title, onClose, ...rest }: TypedNameDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title} centered inFront>
      <TypedNameForm onClose={onClose} {...rest} />
    </Dialog>
  )
}

function TypedNameForm({
  name,
  label,
  confirm,
  onConfirm,
  onClose,
  children,
}: Omit<TypedNameDialogProps, "opened" | "title">) {
  const [typed, setTyped] = useState("")
  const [refusal, setRefusal] = useState<string>()

  async function submit() {
    setRefusal(undefined)
    if ((await onConfirm(typed, setRefusal)) !== undefined) onClose()
  }
  return (
    <Form onSubmit={submit}>
      <Text size="sm" c="dimmed" className="breaks-anywhere" mb="md">
        {children}
      </Text>
      <TextInput
        label={label}
        description={<span className="typed-name">{name}</span>}
        value={typed}
        onChange={(change) => setTyped(change.currentTarget.value)}
        error={refusal}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
      />
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton color="red">{confirm}</SubmitButton>
      </Group>
    </Form>
  )
}
