import type { User } from "@envkeep/contract"
import { Stack, Text, TextInput, Title } from "@mantine/core"
import { useState } from "react"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useUpdateUser } from "./queries.ts"

export function UserForm({ user }: { user: User }) {
  const [username, setUsername] = useState(user.username)
  const [email, setEmail] = useState(user.email)
  const update = useUpdateUser()
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Account</Title>
        <Text size="sm" c="dimmed" mt={4}>
          The name on your account, and the e-mail address you sign in with.
        </Text>
      </div>
      <Form onSubmit={() => update({ username, email })}>
        <Stack gap="md">
          <TextInput
            label="Username"
            autoComplete="username"
            value={username}
            error={username.trim() === ""}
            onChange={(event) => setUsername(event.currentTarget.value)}
          />
          <TextInput
            label="Email"
            type="email"
            autoComplete="email"
            value={email}
            error={email.trim() === ""}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <div>
            <SubmitButton>Update user</SubmitButton>
          </div>
        </Stack>
      </Form>
    </section>
  )
}
