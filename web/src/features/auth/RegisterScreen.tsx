import { limits, sentences, users } from "@envkeep/contract"
import { Anchor, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { useNavigate } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { contactUrl } from "../../lib/contact.ts"
import { dropInvitation, heldInvitation } from "../../lib/held-invitation.ts"
import { canRegister, registrationMode } from "../../lib/registration.ts"
import { CenteredCard } from "../../ui/CenteredCard.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { InvitationNote } from "./InvitationNote.tsx"
import { LoginHere } from "./LoginHere.tsx"
import { ProviderButtons } from "./ProviderButtons.tsx"
import { useRegister } from "./queries.ts"

const blank = { username: "", email: "", password: "", password2: "" }

export function RegisterScreen() {
  const [invitation, setInvitation] = useState(heldInvitation)
  return canRegister() ? (
    <RegisterForm invitation={invitation} onDropped={() => setInvitation(undefined)} />
  ) : (
    <NoRegistration />
  )
}

interface RegisterFormProps {
  invitation: string | undefined
  onDropped: () => void
}

function RegisterForm({ invitation, onDropped }: RegisterFormProps) {
  const form = useCallForm(users.register, blank)
  const register = useRegister()
  const navigate = useNavigate()
  const firstField = useArrivalFocus()

  async function submit() {
    const done = await form.send((input, onRefused) => register({ ...input, invitation }, onRefused))
    if (done !== undefined) dropInvitation()
    if (done !== undefined) await navigate("/login", { state: { email: done.data.email } })
  }
  function goOnWithoutIt() {
    onDropped()
    // The button that was clicked goes.
    firstField.current?.focus()
  }
  return (
    <CenteredCard
      title="Register"
      lead="One account for all your apps and their environments."
      footer={<LoginHere after="Already registered?" />}
    >
      <Form onSubmit={submit}>
        <Stack gap="md">
          {invitation !== undefined && (
            <InvitationNote onDropped={registrationMode() === "open" ? goOnWithoutIt : undefined}>
              Your new account accepts your invitation.
            </InvitationNote>
          )}
          {/* Password managers save what is marked as the username, and people log in with the email. */}
          <TextInput label="Username" autoComplete="nickname" ref={firstField} {...form.field("username")} />
          <TextInput label="Email" type="email" autoComplete="username" {...form.field("email")} />
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
      {/* A page of another site cannot take an invitation along. */}
      {invitation === undefined && <ProviderButtons toRegister />}
    </CenteredCard>
  )
}

function NoRegistration() {
  const isInvited = registrationMode() === "invited"
  return (
    <CenteredCard
      title="Register"
      lead={isInvited ? "This server is for invited people." : "This server takes no new accounts."}
      footer={<LoginHere after="Already registered?" />}
    >
      <Text fw={600}>{isInvited ? sentences.registrationInvited : sentences.registrationClosed}</Text>
      <Text size="sm" c="dimmed" mt={4}>
        {isInvited && "If you have a link, open it. Otherwise ask"}
        {!isInvited && "If you need an account, ask"} the{" "}
        <Anchor href={contactUrl()} inherit underline="always">
          administrator of this server
        </Anchor>
        .
      </Text>
      <ProviderButtons toRegister />
    </CenteredCard>
  )
}
