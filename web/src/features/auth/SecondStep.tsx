import { secondFactors } from "@envkeep/contract"
import { Button, Stack, TextInput } from "@mantine/core"
import { IconFingerprint } from "@tabler/icons-react"
import { useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { CenteredCard } from "../../ui/CenteredCard.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { useOnce } from "../../ui/use-once.ts"
import { AskAdministrator } from "./AskAdministrator.tsx"
import { usePasskeySecondStep } from "./passkey-queries.ts"
import { type SecondFactorWays, useCodeSignIn, useRecoverySignIn } from "./queries.ts"

interface SecondStepProps {
  ways: SecondFactorWays
  /** The login has to begin again with the password. */
  onStartAgain: () => void
}

type Way = "passkey" | "totp" | "recoveryCode"

const leads: Record<Way, string> = {
  passkey: "Use your fingerprint, your face or a PIN.",
  totp: "Enter the code that your authenticator app shows.",
  recoveryCode: "Enter one of the recovery codes that you saved. Each works once.",
}

/** The second step of a login: the password was right. */
export function SecondStep({ ways, onStartAgain }: SecondStepProps) {
  const [way, setWay] = useState<Way>(ways.passkey ? "passkey" : ways.totp ? "totp" : "recoveryCode")
  return (
    <CenteredCard
      title="Confirm your login"
      lead={leads[way]}
      footer={
        <>
          Lost all of them? <AskAdministrator what="a link to log in without them" />
        </>
      }
    >
      <Stack gap="md">
        {way === "passkey" && <PasskeyStep onExpired={onStartAgain} />}
        {way === "totp" && <CodeForm onExpired={onStartAgain} />}
        {way === "recoveryCode" && <RecoveryForm onExpired={onStartAgain} />}
        <Stack gap={4}>
          {ways.passkey && way !== "passkey" && (
            <Button variant="subtle" onClick={() => setWay("passkey")}>
              Use a passkey
            </Button>
          )}
          {ways.totp && way !== "totp" && (
            <Button variant="subtle" onClick={() => setWay("totp")}>
              Use the authenticator app
            </Button>
          )}
          {ways.recoveryCode && way !== "recoveryCode" && (
            <Button variant="subtle" onClick={() => setWay("recoveryCode")}>
              Use a recovery code
            </Button>
          )}
          <Button variant="subtle" color="gray" onClick={onStartAgain}>
            Start again
          </Button>
        </Stack>
      </Stack>
    </CenteredCard>
  )
}

function PasskeyStep({ onExpired }: { onExpired: () => void }) {
  const [signIn, pending] = useOnce(usePasskeySecondStep(onExpired))
  const firstField = useArrivalFocus<HTMLButtonElement>()
  return (
    <Button
      ref={firstField}
      fullWidth
      size="md"
      leftSection={<Icon shape={IconFingerprint} />}
      loading={pending}
      onClick={signIn}
    >
      Continue with a passkey
    </Button>
  )
}

function CodeForm({ onExpired }: { onExpired: () => void }) {
  const form = useCallForm(secondFactors.signInWithCode, { code: "" })
  const signIn = useCodeSignIn(onExpired)
  const firstField = useArrivalFocus()
  return (
    <Form onSubmit={() => form.send(signIn)}>
      <Stack gap="md">
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          placeholder="123456"
          ref={firstField}
          {...form.field("code")}
        />
        <SubmitButton fullWidth size="md">
          Login
        </SubmitButton>
      </Stack>
    </Form>
  )
}

function RecoveryForm({ onExpired }: { onExpired: () => void }) {
  const form = useCallForm(secondFactors.signInWithRecoveryCode, { code: "" })
  const signIn = useRecoverySignIn(onExpired)
  const firstField = useArrivalFocus()
  return (
    <Form onSubmit={() => form.send(signIn)}>
      <Stack gap="md">
        <TextInput
          label="Recovery code"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          placeholder="XXXX-XXXX-XXXX-XXXX-XXXX-XXXX"
          ref={firstField}
          {...form.field("code")}
        />
        <SubmitButton fullWidth size="md">
          Login
        </SubmitButton>
      </Stack>
    </Form>
  )
}
