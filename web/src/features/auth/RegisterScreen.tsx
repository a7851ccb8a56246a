import { limits } from "@envkeep/contract"
import { Anchor, Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import { Link, useNavigate } from "react-router"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { AuthCard } from "./AuthCard.tsx"
import { useRegister } from "./queries.ts"

const blank = { username: "", email: "", password: "", password2: "" }

export function RegisterScreen() {
  const [fields, setFields] = useState(blank)
  const [tried, setTried] = useState(false)
  const register = useRegister()
  const navigate = useNavigate()
  const firstField = useArrivalFocus()
  const set = (field: keyof typeof blank) => (value: string) => setFields((held) => ({ ...held, [field]: value }))
  const missing = (field: keyof typeof blank) => tried && fields[field].trim() === ""

  async function submit() {
    const done = await register(fields)
    setTried(true)
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
          <TextInput
            label="Username"
            autoComplete="username"
            ref={firstField}
            value={fields.username}
            error={missing("username")}
            onChange={(event) => set("username")(event.currentTarget.value)}
          />
          <TextInput
            label="Email"
            type="email"
            autoComplete="email"
            value={fields.email}
            error={missing("email")}
            onChange={(event) => set("email")(event.currentTarget.value)}
          />
          <PasswordField
            label="Password"
            description={`At least ${limits.passwordMin} characters`}
            autoComplete="new-password"
            value={fields.password}
            wrong={missing("password")}
            onChange={set("password")}
          />
          <PasswordField
            label="Confirm password"
            autoComplete="new-password"
            value={fields.password2}
            wrong={missing("password2") || (tried && fields.password !== fields.password2)}
            onChange={set("password2")}
          />
          <SubmitButton fullWidth size="md" mt={4}>
            Register
          </SubmitButton>
        </Stack>
      </Form>
    </AuthCard>
  )
}
