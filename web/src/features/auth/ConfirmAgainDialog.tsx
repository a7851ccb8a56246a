import { users } from "@envkeep/contract"
import { Button, Group, Stack, Text } from "@mantine/core"
import { IconFingerprint } from "@tabler/icons-react"
import { useCallForm } from "../../lib/call-form.ts"
import type { ConfirmWays } from "../../lib/confirm-again.ts"
import { useUser } from "../../lib/state.ts"
import { AccountHint } from "../../ui/AccountHint.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
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
      {!ways.password && <ProviderConfirmation isOnlyWay={!ways.passkey} onDone={onDone} />}
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

interface ProviderConfirmationProps extends Pick<ConfirmAgainDialogProps, "onDone"> {
  /** Whether there is no passkey either. */
  isOnlyWay: boolean
}

/**
 * For an account without a password. It may have a passkey that is not on this device. The browser leaves this page, so that
 * what was asked for has to be done again.
 */
function ProviderConfirmation({ isOnlyWay, onDone }: ProviderConfirmationProps) {
  const { data, error, refetch } = useConnected()
  if (data === undefined && error !== null) {
    return <LoadFailed title="Your connected accounts could not be loaded" message={error.message} onRetry={refetch} />
  }
  if (data === undefined) return <Spinner />
  // By provider, because a user can have several accounts at one of them.
  const labels = new Map(
    data.identities.flatMap(({ provider, label }) => (provider === null ? [] : [[provider, label]])),
  )
  const either = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(labels.values())
  return (
    <Stack gap="lg">
      {labels.size > 0 && (
        <Text size="sm">
          {isOnlyWay ? "Log" : "Or log"} in with {either} again. You come back to this page and can try again.
        </Text>
      )}
      {labels.size === 0 && isOnlyWay && (
        <Text size="sm">You cannot confirm it here. Please log out and log in again.</Text>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => onDone(false)}>
          Cancel
        </Button>
        {[...labels].map(([provider, label]) => (
          <ProviderButton key={provider} provider={provider} label={label} />
        ))}
      </Group>
    </Stack>
  )
}

function ProviderButton({ provider, label }: { provider: string; label: string }) {
  const confirm = useConfirmAtProvider()
  const [run, isLeaving] = useOnce(() => confirm(provider))
  return (
    <Button loading={isLeaving} onClick={run} data-autofocus>
      Continue with {label}
    </Button>
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
      <AccountHint email={email} />
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
