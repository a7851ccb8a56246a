import { limits, users } from "@envkeep/contract"
import { Anchor, Stack, TextInput } from "@mantine/core"
import { Link, useNavigate } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { AuthCard } from "./AuthCard.tsx"
import { useRegister } from "./queries.ts"

const blank = { username: "", email: "", password: "", password2: "" }

export function RegisterScreen() {
  const form = useCallForm(users.register, blank)
  const register = useRegister()
  const navigate = useNavigate()
  const firstField = useArrivalFocus()

  async function submit() {
    const done = await form.send(register)
    if (done !== undefined) await navigate("/login", { state: { email: done.data.email } })
  }
  return (
    <AuthCard
      title="Register"
      lead="One account for all your apps and their environments."
      footer={
        <>
          Already registered?{" "}
          <Anchor component={Link} to="/login" inherit underline="always">
            Login here
          </Anchor>
        </>
      }
    >
      <Form onSubmit={submit}>
        <Stack gap="md">
          <TextInput label="Username" autoComplete="username" ref={firstField} {...form.field("username")} />
          <TextInput label="Email" type="email" autoComplete="email" {...form.field("email")} />
          <PasswordField
            label="Password"
            description={`At least ${limits.passwordMin} characters`}
            autoComplete="new-password"
            {...form.field("password")}
          />
          <PasswordField label="Confirm password" autoComplete="new-password" {...form.field("password2")} />
          <SubmitButton fullWidth size="md" mt={4}>
            Register
          </SubmitButton>
        </Stack>
      </Form>
    </AuthCard>
  )
}
