import { clientName, passkeys } from "@envkeep/contract"
import { Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { errorsOf } from "../../../lib/call-form.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { FirstFactorNote } from "./FirstFactorNote.tsx"
import { useAddPasskey } from "./passkey-queries.ts"
import { RecoveryCodes } from "./RecoveryCodes.tsx"

interface AddPasskeyDialogProps {
  opened: boolean
  /** Gets the recovery codes of an account's first factor, to show them. Otherwise the dialog does. */
  onCodes?: (recoveryCodes: string[]) => void
  onClose: () => void
}

export function AddPasskeyDialog({ opened, onClose, ...rest }: AddPasskeyDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title="Add a passkey"
      size="lg"
      // A click beside it must not lose recovery codes, which are shown only once.
      closesOutside={false}
    >
      <AddPasskey onClose={onClose} {...rest} />
    </Dialog>
  )
}

function AddPasskey({ onCodes, onClose }: Omit<AddPasskeyDialogProps, "opened">) {
  const [codes, setCodes] = useState<string[]>()
  if (codes !== undefined) return <RecoveryCodes codes={codes} onDone={onClose} />
  return <AddPasskeyForm onCodes={onCodes ?? setCodes} onClose={onClose} />
}

/** The name comes first: once the passkey is made, nothing can go wrong with it. */
function AddPasskeyForm({ onCodes, onClose }: Required<Omit<AddPasskeyDialogProps, "opened">>) {
  const [name, setName] = useState(() => clientName(navigator.userAgent))
  const [error, setError] = useState<string>()
  const add = useAddPasskey()

  async function submit() {
    const refusal = errorsOf(passkeys.rename, { id: 1, name }, "")["name"]
    setError(refusal)
    if (refusal !== undefined) return
    const done = await add(
      { name },
      (sentence) => setError(sentence),
      ({ recoveryCodes }) => recoveryCodes && onCodes(recoveryCodes),
    )
    if (done !== undefined && done.data.recoveryCodes === undefined) onClose()
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Your browser asks where to keep the passkey, and for your fingerprint, face or PIN.
        </Text>
        <FirstFactorNote />
        <TextInput
          label="Name"
          description="To recognise it in the list."
          autoComplete="off"
          data-autofocus
          value={name}
          error={error}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value)
            setError(undefined)
          }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton>Continue</SubmitButton>
        </Group>
      </Stack>
    </Form>
  )
}
