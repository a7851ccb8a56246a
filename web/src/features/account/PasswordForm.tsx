import { limits, users } from "@envkeep/contract"
import { Anchor, Stack, Text, Title } from "@mantine/core"
import { Link } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { contactUrl } from "../../lib/contact.ts"
import { sendsMail } from "../../lib/mail.ts"
import { AccountHint } from "../../ui/AccountHint.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { useChangePassword, useIdentities } from "./queries.ts"

const blank = { oldPassword: "", password: "", password2: "" }

export function PasswordForm({ email }: { email: string }) {
  return useIdentities().data?.hasPassword === false ? <NoPassword /> : <ChangeForm email={email} />
}

function NoPassword() {
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Password</Title>
        <Text size="sm" c="dimmed" mt={4}>
          Your account has no password.
        </Text>
      </div>
      <Text size="sm">
        You log in with a connected account or a passkey. To log in with a password too,{" "}
        {sendsMail() ? (
          <>
            <Anchor component={Link} to="/forgot" inherit underline="always">
              let us mail you a link
            </Anchor>{" "}
            that sets one.
          </>
        ) : (
          <>
            ask the{" "}
            <Anchor href={contactUrl()} inherit underline="always">
              administrator of this server
            </Anchor>{" "}
            for a reset link, which sets one.
          </>
        )}{" "}
        Setting it logs you out everywhere.
      </Text>
    </section>
  )
}

function ChangeForm({ email }: { email: string }) {
  const form = useCallForm(users.changePassword, blank)
  const change = useChangePassword()

  async function submit() {
    if ((await form.send(change)) !== undefined) form.reset()
  }
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Password</Title>
        <Text size="sm" c="dimmed" mt={4}>
          Changing your password logs you out everywhere else. Your tokens keep working.
        </Text>
      </div>
      <Form onSubmit={submit}>
        <AccountHint email={email} />
        <Stack gap="md">
          <PasswordField label="Old password" autoComplete="current-password" {...form.field("oldPassword")} />
          <PasswordField
            label="New password"
            description={`At least ${limits.passwordMin} characters`}
            autoComplete="new-password"
            {...form.field("password")}
          />
          <PasswordField label="Confirm password" autoComplete="new-password" {...form.field("password2")} />
          <div>
            <SubmitButton>Update password</SubmitButton>
          </div>
        </Stack>
      </Form>
    </section>
  )
}
