import { Anchor, Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import { Link, useLocation } from "react-router"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { AuthCard } from "./AuthCard.tsx"
import { useLogin } from "./queries.ts"

export function LoginScreen() {
  const registered = useRegisteredEmail()
  const [email, setEmail] = useState(registered)
  const [password, setPassword] = useState("")
  const [tried, setTried] = useState(false)
  const login = useLogin()
  const firstField = useArrivalFocus()

  async function submit() {
    await login({ email, password })
    setTried(true)
  }
  return (
    <AuthCard
      title="Login"
      lead="Your variables are where you left them."
      footer={
        <>
          No account yet?{" "}
          <Anchor component={Link} to="/register" inherit underline="always">
            Register here
          </Anchor>
        </>
      }
    >
      <Form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            ref={registered === "" ? firstField : null}
            value={email}
            error={tried && email.trim() === ""}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            ref={registered === "" ? null : firstField}
            value={password}
            wrong={tried && password === ""}
            onChange={setPassword}
          />
          <SubmitButton fullWidth size="md" mt={4}>
            Login
          </SubmitButton>
        </Stack>
      </Form>
    </AuthCard>
  )
}

/** The e-mail that the registration page hands over. */
function useRegisteredEmail(): string {
  const state: unknown = useLocation().state
  return typeof state === "object" && state !== null && "email" in state ? String(state.email) : ""
}
