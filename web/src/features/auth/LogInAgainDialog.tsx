import { type User, users } from "@envkeep/contract"
import { Button, Group, Stack, Text } from "@mantine/core"
import { useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { AccountHint } from "../../ui/AccountHint.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { PasskeyButton } from "./PasskeyButton.tsx"
import { ProviderButtons } from "./ProviderButtons.tsx"
import { type SecondFactorWays, useLogin } from "./queries.ts"
import { SecondStepInDialog } from "./SecondStep.tsx"

interface LogInAgainDialogProps {
  opened: boolean
  user: User
  /** What was typed may go. */
  onDiscard: () => void
}

/** In front of the page whose session has ended, because something is typed there. It closes once the user is logged in. */
export function LogInAgainDialog({ opened, user, onDiscard }: LogInAgainDialogProps) {
  const [ways, setWays] = useState<SecondFactorWays>()
  return (
    <Dialog opened={opened} title="Your session has ended" centered onTop mustAnswer onClose={onDiscard}>
      <Text size="sm" c="dimmed" mb="md" className="breaks-anywhere">
        Log in again as <strong>{user.email}</strong>. What you typed is still here.
      </Text>
      {ways === undefined ? (
        <>
          <FirstStep email={user.email} onSecondFactor={setWays} onDiscard={onDiscard} />
          <PasskeyButton />
          <ProviderButtons inNewTab />
        </>
      ) : (
        <SecondStepInDialog ways={ways} onStartAgain={() => setWays(undefined)} />
      )}
    </Dialog>
  )
}

interface FirstStepProps {
  email: string
  onSecondFactor: (ways: SecondFactorWays) => void
  onDiscard: () => void
}

function FirstStep({ email, onSecondFactor, onDiscard }: FirstStepProps) {
  const form = useCallForm(users.login, { email, password: "" })
  const login = useLogin(onSecondFactor)
  return (
    <Form onSubmit={() => form.send(login)}>
      <AccountHint email={email} />
      <Stack gap="lg">
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          {...form.field("password")}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDiscard}>
            Discard and leave
          </Button>
          <SubmitButton>Log in</SubmitButton>
        </Group>
      </Stack>
    </Form>
  )
}
