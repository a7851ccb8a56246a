import { users } from "@envkeep/contract"
import { Button, Group, Stack, Text } from "@mantine/core"
import { IconFingerprint } from "@tabler/icons-react"
import { useCallForm } from "../../lib/call-form.ts"
import type { ConfirmWays } from "../../lib/confirm-again.ts"
import { useUser } from "../../lib/state.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { usePasskeyConfirmation } from "./passkey-queries.ts"
import { useConfirm, useConfirmAtProvider, useConnected } from "./queries.ts"

interface ConfirmAgainDialogProps {
  opened: boolean
  ways: ConfirmWays
  /** Whether the user has confirmed. */
  onDone: (isConfirmed: boolean) => void
}

/** Asks before something sensitive whether the user is still there. What was refused is then done. */
export function ConfirmAgainDialog({ opened, ways, onDone }: ConfirmAgainDialogProps) {
  return (
    <Dialog opened={opened} title="Confirm that it is you" centered onTop onClose={() => onDone(false)}>
      <Text size="sm" c="dimmed" mb="md">
        You logged in a while ago, and this is sensitive.
      </Text>
      {ways.passkey && <PasskeyConfirmation onDone={onDone} />}
      {ways.password && <PasswordConfirmation onDone={onDone} />}
      {!ways.password && !ways.passkey && <ProviderConfirmation onDone={onDone} />}
    </Dialog>
  )
}

function PasskeyConfirmation({ onDone }: Pick<ConfirmAgainDialogProps, "onDone">) {
  const confirm = usePasskeyConfirmation()
  const [run, pending] = useOnce(async () => {
    if (await confirm()) onDone(true)
  })
  return (
    <Button
      variant="default"
      fullWidth
      mb="md"
      leftSection={<Icon shape={IconFingerprint} />}
      loading={pending}
      onClick={run}
    >
      Confirm with a passkey
    </Button>
  )
}

/** For an account without a password. The browser leaves this page, so that what was asked for has to be done again. */
function ProviderConfirmation({ onDone }: Pick<ConfirmAgainDialogProps, "onDone">) {
  const { data } = useConnected()
  const confirm = useConfirmAtProvider()
  const [run, isLeaving] = useOnce(async () => {
    if (provider !== null) await confirm(provider)
  })
  const connected = data?.identities.find(({ provider }) => provider !== null)
  const provider = connected?.provider ?? null
  if (data === undefined) return <Spinner />
  return (
    <Stack gap="lg">
      <Text size="sm">
        {provider === null
          ? "You cannot confirm it here. Please log out and log in again."
          : `Log in with ${connected?.label} again. You come back to this page and can try again.`}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => onDone(false)}>
          Cancel
        </Button>
        {provider !== null && (
          <Button loading={isLeaving} onClick={run} data-autofocus>
            Continue with {connected?.label}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function PasswordConfirmation({ onDone }: Pick<ConfirmAgainDialogProps, "onDone">) {
  const form = useCallForm(users.confirm, { password: "" })
  const confirm = useConfirm()
  const email = useUser()?.email ?? ""

  async function submit() {
    if ((await form.send(confirm)) !== undefined) onDone(true)
  }
  return (
    <Form onSubmit={submit}>
      {/* Tells password managers which account this password belongs to. */}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <Stack gap="lg">
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          {...form.field("password")}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => onDone(false)}>
            Cancel
          </Button>
          <SubmitButton>Confirm</SubmitButton>
        </Group>
      </Stack>
    </Form>
  )
}
