import { limits, users } from "@envkeep/contract"
import { Anchor, Stack, Text } from "@mantine/core"
import { Link, Navigate, useLocation, useNavigate } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { useCallForm } from "../../lib/call-form.ts"
import { sendsMail } from "../../lib/mail.ts"
import { CenteredCard } from "../../ui/CenteredCard.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { AskAdministrator } from "./AskAdministrator.tsx"
import { LoginHere } from "./LoginHere.tsx"
import { useResetLink, useResetPassword } from "./queries.ts"

/**
 * Where a reset link leads. Its token moves from the address into the state of this entry of the history: a reload still
 * finds it, and it is neither on the screen nor in what people copy from the address bar.
 */
export function ResetScreen() {
  const { hash, state, key } = useLocation()
  if (hash !== "") return <Navigate to="/reset" replace state={{ token: hash.slice(1) }} />
  return (
    <CenteredCard
      title="Reset password"
      lead={
        sendsMail() ? "Choose a new password for your account." : "With a link from the administrator of this server."
      }
      footer={<LoginHere after="Remembered it?" />}
    >
      <CheckedLink key={key} visit={key} token={tokenIn(state)} />
    </CenteredCard>
  )
}

function tokenIn(state: unknown): string {
  return typeof state === "object" && state !== null && "token" in state ? String(state.token) : ""
}

function CheckedLink({ visit, token }: { visit: string; token: string }) {
  const { isPending, error, refetch } = useResetLink(visit, token)
  if (isPending) return <Spinner />
  if (error === null) return <NewPasswordForm token={token} />
  const isRefused = error instanceof ApiError && error.status === 400
  if (!isRefused) {
    return <LoadFailed title="The link could not be checked" message={error.message} onRetry={() => void refetch()} />
  }
  return (
    <Stack gap={4}>
      <Text fw={600}>{error.message}</Text>
      <Text size="sm" c="dimmed">
        {sendsMail() ? (
          <Anchor component={Link} to="/forgot" inherit underline="always">
            Ask for another link
          </Anchor>
        ) : (
          <AskAdministrator />
        )}
      </Text>
    </Stack>
  )
}

function NewPasswordForm({ token }: { token: string }) {
  const form = useCallForm(users.resetPassword, { token, password: "", password2: "" })
  const reset = useResetPassword()
  const navigate = useNavigate()
  const firstField = useArrivalFocus()

  async function submit() {
    if ((await form.send(reset)) !== undefined) await navigate("/login", { replace: true })
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <PasswordField
          label="New password"
          description={`At least ${limits.passwordMin} characters`}
          autoComplete="new-password"
          ref={firstField}
          {...form.field("password")}
        />
        <PasswordField label="Confirm password" autoComplete="new-password" {...form.field("password2")} />
        <Text size="sm" c="dimmed">
          This logs you out everywhere. Your API keys keep working.
        </Text>
        <SubmitButton fullWidth size="md" mt={4}>
          Set new password
        </SubmitButton>
      </Stack>
    </Form>
  )
}
