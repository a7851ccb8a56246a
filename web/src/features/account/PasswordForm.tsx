import { limits } from "@envkeep/contract"
import { Stack, Text, Title } from "@mantine/core"
import { useState } from "react"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { useChangePassword } from "./queries.ts"

const blank = { oldPassword: "", password: "", password2: "" }

export function PasswordForm({ email }: { email: string }) {
  const [fields, setFields] = useState(blank)
  const [tried, setTried] = useState(false)
  const change = useChangePassword()
  const set = (field: keyof typeof blank) => (value: string) => setFields((held) => ({ ...held, [field]: value }))

  async function submit() {
    const done = await change(fields)
    setTried(done === undefined)
    if (done !== undefined) setFields(blank)
  }
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Password</Title>
        <Text size="sm" c="dimmed" mt={4}>
          A new password signs you out everywhere else, at once.
        </Text>
      </div>
      <Form onSubmit={submit}>
        {/* Lets password managers know whose password this is. */}
        <input type="hidden" autoComplete="username" value={email} readOnly />
        <Stack gap="md">
          <PasswordField
            label="Old password"
            autoComplete="current-password"
            value={fields.oldPassword}
            wrong={tried && fields.oldPassword === ""}
            onChange={set("oldPassword")}
          />
          <PasswordField
            label="New password"
            description={`At least ${limits.passwordMin} characters`}
            autoComplete="new-password"
            value={fields.password}
            wrong={tried && fields.password === ""}
            onChange={set("password")}
          />
          <PasswordField
            label="Confirm password"
            autoComplete="new-password"
            value={fields.password2}
            wrong={tried && (fields.password2 === "" || fields.password2 !== fields.password)}
            onChange={set("password2")}
          />
          <div>
            <SubmitButton>Update password</SubmitButton>
          </div>
        </Stack>
      </Form>
    </section>
  )
}
