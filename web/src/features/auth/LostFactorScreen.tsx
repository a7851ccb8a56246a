import { Button, Stack, Text } from "@mantine/core"
import { Navigate, useLocation } from "react-router"
import { signInProviders } from "../../lib/sign-in-providers.ts"
import { CenteredCard } from "../../ui/CenteredCard.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { LoginForm } from "./LoginForm.tsx"
import { LoginHere } from "./LoginHere.tsx"
import { useLinkSignIn } from "./queries.ts"

/**
 * Where an administrator's link for a lost second factor leads. Its token moves from the address into the state of this
 * entry of the history, as that of a reset link does.
 */
export function LostFactorScreen() {
  const { hash, state } = useLocation()
  const signIn = useLinkSignIn()
  if (hash !== "") return <Navigate to="/lost-factor" replace state={{ token: hash.slice(1) }} />
  const token = tokenIn(state)
  return (
    <CenteredCard
      title="Log in without your second factor"
      lead="With a link from the administrator of this server."
      footer={<LoginHere after="Found it again?" />}
    >
      <LoginForm email="" onSecondFactor={() => signIn({ token })}>
        <Text size="sm" c="dimmed">
          Your authenticator app, your passkeys and your recovery codes are removed, and you are logged out everywhere
          else. Set up a new second factor afterwards.
        </Text>
      </LoginForm>
      {signInProviders().length > 0 && <AfterProvider onContinue={() => signIn({ token })} />}
    </CenteredCard>
  )
}

/** An account without a password begins its login at the provider, which this browser then remembers for some minutes. */
function AfterProvider({ onContinue }: { onContinue: () => Promise<unknown> }) {
  const [run, isRunning] = useOnce(onContinue)
  return (
    <Stack gap="sm" mt="md">
      <Text size="sm" c="dimmed">
        If your account has no password, log in with your provider first, then open this link again in the same browser.
      </Text>
      <Button variant="default" fullWidth loading={isRunning} onClick={run}>
        Continue after logging in with a provider
      </Button>
    </Stack>
  )
}

function tokenIn(state: unknown): string {
  return typeof state === "object" && state !== null && "token" in state ? String(state.token) : ""
}
