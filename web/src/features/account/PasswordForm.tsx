import { limits, users } from "@envkeep/contract"
import { Stack, Text, Title } from "@mantine/core"
import { useCallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { useChangePassword } from "./queries.ts"

const blank = { oldPassword: "", password: "", password2: "" }

export function PasswordForm({ email }: { email: string }) {
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
          Changing your password signs you out everywhere else. Your tokens go on working.
        </Text>
      </div>
      <Form onSubmit={submit}>
        {/* Tells password managers which account this password belongs to. */}
        <input type="hidden" autoComplete="username" value={email} readOnly />
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
