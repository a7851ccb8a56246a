import { secondFactorParameter } from "@envkeep/contract"
import { Alert, Anchor, Text } from "@mantine/core"
import { useState } from "react"
import { Link, useLocation } from "react-router"
import { heldInvitation } from "../../lib/held-invitation.ts"
import { sendsMail } from "../../lib/mail.ts"
import { canRegister } from "../../lib/registration.ts"
import { signInProblem } from "../../lib/sign-in-problem.ts"
import { signInProviders } from "../../lib/sign-in-providers.ts"
import { CenteredCard } from "../../ui/CenteredCard.tsx"
import { AskAdministrator } from "./AskAdministrator.tsx"
import { InvitationNote } from "./InvitationNote.tsx"
import { LoginForm } from "./LoginForm.tsx"
import { PasskeyButton } from "./PasskeyButton.tsx"
import { ProviderButtons } from "./ProviderButtons.tsx"
import type { SecondFactorWays } from "./queries.ts"
import { SecondStep } from "./SecondStep.tsx"

export function LoginScreen() {
  const [email, setEmail] = useState(useRegisteredEmail())
  const { search } = useLocation()
  const problem = signInProblem(search)
  const [isInvited, setInvited] = useState(() => heldInvitation() !== undefined)
  const [ways, setWays] = useState(() => waysIn(search))
  if (ways !== undefined) return <SecondStep ways={ways} onStartAgain={() => setWays(undefined)} />

  function goOn(ways: SecondFactorWays, typed: string) {
    setEmail(typed)
    setWays(ways)
  }
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
            {sendsMail() ? (
              <Anchor component={Link} to="/forgot" inherit underline="always">
                Forgot your password?
              </Anchor>
            ) : (
              <>
                Forgot your password? <AskAdministrator />
              </>
            )}
          </Text>
        </>
      }
    >
      <LoginForm email={email} onSecondFactor={goOn}>
        {problem !== undefined && (
          <Alert className="danger-note" title="You are not logged in">
            {problem}.
          </Alert>
        )}
        {isInvited && (
          <InvitationNote onDropped={() => setInvited(false)}>
            Log in to accept your invitation.
            {/* A page of another site cannot take it along. */}
            {signInProviders().length > 0 && " If you log in with a provider, open the link again afterwards."}
          </InvitationNote>
        )}
      </LoginForm>
      <PasskeyButton />
      <ProviderButtons />
    </CenteredCard>
  )
}

/** A sign-in provider has checked the person, and the login goes on here with one of these ways. */
function waysIn(search: string): SecondFactorWays | undefined {
  const ways = new URLSearchParams(search).get(secondFactorParameter)?.split("-")
  if (ways === undefined) return undefined
  const [totp, passkey, recoveryCode] = ["totp", "passkey", "recoveryCode"].map((way) => ways.includes(way))
  return { totp: totp === true, passkey: passkey === true, recoveryCode: recoveryCode === true }
}

/** The email address passed on by the registration page. */
function useRegisteredEmail(): string {
  const state: unknown = useLocation().state
  return typeof state === "object" && state !== null && "email" in state ? String(state.email) : ""
}
