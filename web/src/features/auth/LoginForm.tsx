import { users } from "@envkeep/contract"
import { Stack, TextInput } from "@mantine/core"
import type { ReactNode } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { type SecondFactorWays, useLogin } from "./queries.ts"

interface LoginFormProps {
  /** The email that is filled in. */
  email: string
  /** The password was right, and the login goes on with a second factor. */
  onSecondFactor: (ways: SecondFactorWays, email: string) => unknown
  children?: ReactNode
}

/** The first step of a login. */
export function LoginForm({ email, onSecondFactor, children }: LoginFormProps) {
  const form = useCallForm(users.login, { email, password: "" })
  const login = useLogin(onSecondFactor)
  const firstField = useArrivalFocus()
  return (
    <Form onSubmit={() => form.send(login)}>
      <Stack gap="md">
        {children}
        <TextInput
          label="Email"
          type="email"
          autoComplete="username webauthn"
          ref={email === "" ? firstField : null}
          {...form.field("email")}
        />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          ref={email === "" ? null : firstField}
          {...form.field("password")}
        />
        <SubmitButton fullWidth size="md" mt={4}>
          Login
        </SubmitButton>
      </Stack>
    </Form>
  )
}
