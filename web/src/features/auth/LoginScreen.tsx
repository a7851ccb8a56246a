import { users } from "@envkeep/contract"
import { Anchor, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { Link, useLocation } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { heldInvitation } from "../../lib/held-invitation.ts"
import { canRegister } from "../../lib/registration.ts"
import { CenteredCard } from "../../ui/CenteredCard.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { AskAdministrator } from "./AskAdministrator.tsx"
import { InvitationNote } from "./InvitationNote.tsx"
import { useLogin } from "./queries.ts"

export function LoginScreen() {
  const registered = useRegisteredEmail()
  const form = useCallForm(users.login, { email: registered, password: "" })
  const login = useLogin()
  const firstField = useArrivalFocus()
  const [isInvited, setInvited] = useState(() => heldInvitation() !== undefined)
  return (
    <CenteredCard
      title="Login"
      lead="Your variables are where you left them."
      footer={
        <>
          {canRegister() && (
            <>
              No account yet?{" "}
              <Anchor component={Link} to="/register" inherit underline="always">
                Register here
              </Anchor>
            </>
          )}
          <Text component="span" display="block" mt={8} inherit>
            Forgot your password? <AskAdministrator />
          </Text>
        </>
      }
    >
      <Form onSubmit={() => form.send(login)}>
        <Stack gap="md">
          {isInvited && (
            <InvitationNote onDropped={() => setInvited(false)}>
              Log in, then you can accept your invitation.
            </InvitationNote>
          )}
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            ref={registered === "" ? firstField : null}
            {...form.field("email")}
          />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            ref={registered === "" ? null : firstField}
            {...form.field("password")}
          />
          <SubmitButton fullWidth size="md" mt={4}>
            Login
          </SubmitButton>
        </Stack>
      </Form>
    </CenteredCard>
  )
}

/** The email address passed on by the registration page. */
function useRegisteredEmail(): string {
  const state: unknown = useLocation().state
  return typeof state === "object" && state !== null && "email" in state ? String(state.email) : ""
}
