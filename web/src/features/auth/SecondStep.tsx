import { secondFactors } from "@envkeep/contract"
import { Button, Stack, Text, TextInput, type TextInputProps } from "@mantine/core"
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
import { type SecondFactorWays, useSignIn } from "./queries.ts"

interface SecondStepProps {
  ways: SecondFactorWays
  /** The login has to begin again with the password. */
  onStartAgain: () => void
}

/** The first that can finish the login is offered first. */
const allWays = ["passkey", "totp", "recoveryCode"] as const
type Way = (typeof allWays)[number]

const leads: Record<Way, string> = {
  passkey: "Use your fingerprint, your face or a PIN.",
  totp: "Enter the code that your authenticator app shows.",
  recoveryCode: "Enter one of the recovery codes that you saved. Each works once.",
}

const choices: Record<Way, string> = {
  passkey: "Use a passkey",
  totp: "Use the authenticator app",
  recoveryCode: "Use a recovery code",
}

/** The second step of a login: the password was right. */
export function SecondStep({ ways, onStartAgain }: SecondStepProps) {
  const [way, setWay] = useState<Way | undefined>(() => allWays.find((one) => ways[one]))
  if (way === undefined) return <NoWay onStartAgain={onStartAgain} />
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
        {way === "passkey" ? (
          <PasskeyStep onExpired={onStartAgain} />
        ) : (
          <CodeForm key={way} way={way} onExpired={onStartAgain} />
        )}
        <Stack gap={4}>
          {allWays
            .filter((other) => ways[other] && other !== way)
            .map((other) => (
              <Button key={other} variant="subtle" onClick={() => setWay(other)}>
                {choices[other]}
              </Button>
            ))}
          <Button variant="subtle" color="gray" onClick={onStartAgain}>
            Start again
          </Button>
        </Stack>
      </Stack>
    </CenteredCard>
  )
}

/** The account has passkeys of another host, and nothing else. */
function NoWay({ onStartAgain }: Pick<SecondStepProps, "onStartAgain">) {
  const button = useArrivalFocus<HTMLButtonElement>()
  return (
    <CenteredCard
      title="Confirm your login"
      lead="Your passkeys work at another address only, and you have no recovery codes."
    >
      <Stack gap="md">
        <Text size="sm">
          <AskAdministrator what="a link to log in without them" />
        </Text>
        <Button ref={button} variant="default" onClick={onStartAgain}>
          Start again
        </Button>
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

type CodeWay = Exclude<Way, "passkey">

const codeCalls = { totp: secondFactors.signInWithCode, recoveryCode: secondFactors.signInWithRecoveryCode }

const codeFields: Record<CodeWay, TextInputProps> = {
  totp: { label: "Code", inputMode: "numeric", autoComplete: "one-time-code", placeholder: "123456" },
  recoveryCode: {
    label: "Recovery code",
    autoComplete: "off",
    autoCapitalize: "characters",
    spellCheck: false,
    placeholder: "XXXX-XXXX-XXXX-XXXX-XXXX-XXXX",
  },
}

function CodeForm({ way, onExpired }: { way: CodeWay; onExpired: () => void }) {
  const form = useCallForm(codeCalls[way], { code: "" })
  const signIn = useSignIn(codeCalls[way], onExpired)
  const firstField = useArrivalFocus()
  return (
    <Form onSubmit={() => form.send(signIn)}>
      <Stack gap="md">
        <TextInput ref={firstField} {...codeFields[way]} {...form.field("code")} />
        <SubmitButton fullWidth size="md">
          Login
        </SubmitButton>
      </Stack>
    </Form>
  )
}
