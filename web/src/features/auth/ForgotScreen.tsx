import { mailCalls } from "@envkeep/contract"
import { Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { CenteredCard } from "../../ui/CenteredCard.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { AskAdministrator } from "./AskAdministrator.tsx"
import { LoginHere } from "./LoginHere.tsx"
import { useForgotPassword } from "./queries.ts"

/** Asks for a link that sets a new password. Only on a server that sends mail. */
export function ForgotScreen() {
  const [sentTo, setSentTo] = useState<string>()
  return (
    <CenteredCard
      title="Forgot your password?"
      lead="We send you a link that sets a new one."
      footer={<LoginHere after="Remembered it?" />}
    >
      {sentTo === undefined ? <ForgotForm onSent={setSentTo} /> : <Sent to={sentTo} />}
    </CenteredCard>
  )
}

function ForgotForm({ onSent }: { onSent: (email: string) => void }) {
  const form = useCallForm(mailCalls.users.forgotPassword, { email: "" })
  const ask = useForgotPassword()
  const firstField = useArrivalFocus()

  async function submit() {
    const { email } = form.values
    if ((await form.send(ask)) !== undefined) onSent(email.trim())
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <TextInput label="Email" type="email" autoComplete="username" ref={firstField} {...form.field("email")} />
        <SubmitButton fullWidth size="md" mt={4}>
          Send the link
        </SubmitButton>
      </Stack>
    </Form>
  )
}

/** Does not say whether there is such an account. */
function Sent({ to }: { to: string }) {
  return (
    <Stack gap={8} role="status">
      <Text fw={600}>Check your mail</Text>
      <Text size="sm" className="breaks-anywhere">
        {`If there is an account with the email ${to}, a link is on its way. It works once, for one hour.`}
      </Text>
      <Text size="sm" c="dimmed">
        Nothing after a few minutes? Look in the spam folder first. <AskAdministrator />
      </Text>
    </Stack>
  )
}
