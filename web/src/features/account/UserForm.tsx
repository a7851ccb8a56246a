import { type User, users } from "@envkeep/contract"
import { Stack, Text, TextInput, Title } from "@mantine/core"
import { useCallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useUpdateUser } from "./queries.ts"

export function UserForm({ user }: { user: User }) {
  const form = useCallForm(users.update, { username: user.username, email: user.email })
  const update = useUpdateUser()
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Account</Title>
        <Text size="sm" c="dimmed" mt={4}>
          Your name, and the email address you log in with.
        </Text>
      </div>
      <Form onSubmit={() => form.send(update)}>
        <Stack gap="md">
          <TextInput label="Username" autoComplete="nickname" {...form.field("username")} />
          <TextInput label="Email" type="email" autoComplete="username" {...form.field("email")} />
          <div>
            <SubmitButton>Update user</SubmitButton>
          </div>
        </Stack>
      </Form>
    </section>
  )
}
