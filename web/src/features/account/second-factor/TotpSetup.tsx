import { type OutputOf, secondFactors } from "@envkeep/contract"
import { Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { lazy, Suspense, useEffect, useRef, useState } from "react"
import { useCallForm } from "../../../lib/call-form.ts"
import { copy } from "../../../lib/clipboard.ts"
import { CodeSample } from "../../../ui/CodeSample.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { LoadFailed } from "../../../ui/LoadFailed.tsx"
import { Spinner } from "../../../ui/Spinner.tsx"
import { useArrivalFocus } from "../../../ui/use-arrival-focus.ts"
import { useBeginTotp, useConfirmTotp } from "./queries.ts"
import { RecoveryCodes } from "./RecoveryCodes.tsx"
import "./second-factor.css"

type Begun = OutputOf<typeof secondFactors.beginTotp>

// QR codes are drawn only here.
const QrCode = lazy(async () => ({ default: (await import("./QrCode.tsx")).QrCode }))

interface TotpSetupProps {
  /** Whether the account has other factors, and so may have recovery codes. */
  hasOthers: boolean
  /** The app is switched on, and its recovery codes are saved. */
  onDone: () => void
  onCancel: () => void
}

/** Switches an authenticator app on: its secret, its first code, and the recovery codes. */
export function TotpSetup({ hasOthers, onDone, onCancel }: TotpSetupProps) {
  const [codes, setCodes] = useState<string[]>()
  if (codes !== undefined) return <RecoveryCodes codes={codes} areReplaced={hasOthers} onDone={onDone} />
  return <NewTotp onConfirmed={setCodes} onCancel={onCancel} />
}

interface NewTotpProps {
  /** The app is switched on. These codes are shown once. */
  onConfirmed: (recoveryCodes: string[]) => void
  onCancel: () => void
}

/** The secret of an app and its first code. */
export function NewTotp({ onConfirmed, onCancel }: NewTotpProps) {
  const { begun, failure, retry } = useNewSecret(onCancel)
  if (failure !== undefined) {
    return <LoadFailed title="The secret could not be made" message={failure} onRetry={retry} />
  }
  return begun === undefined ? <Spinner /> : <FirstCode begun={begun} onConfirmed={onConfirmed} onCancel={onCancel} />
}

/** Asks the server for one when it is shown. */
function useNewSecret(onCancel: () => void) {
  const begin = useBeginTotp()
  const [begun, setBegun] = useState<Begun>()
  const [failure, setFailure] = useState<string>()
  const isAsked = useRef(false)

  async function ask() {
    setFailure(undefined)
    const done = await begin({}, (sentence, _, { isCancelled }) => {
      if (isCancelled) onCancel()
      else setFailure(sentence)
    })
    setBegun(done?.data)
  }
  // Once, although React may run an effect twice: the second secret would replace the first.
  useEffect(() => {
    if (isAsked.current) return
    isAsked.current = true
    void ask()
  })
  return { begun, failure, retry: () => void ask() }
}

function FirstCode({ begun: { secret, uri }, onConfirmed, onCancel }: NewTotpProps & { begun: Begun }) {
  const form = useCallForm(secondFactors.confirmTotp, { code: "" })
  const confirm = useConfirmTotp()
  const firstField = useArrivalFocus()

  async function submit() {
    const done = await form.send((input, onRefused) =>
      confirm(input, onRefused, { onStored: ({ recoveryCodes }) => onConfirmed(recoveryCodes) }),
    )
    return done
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">
          Scan the code with an authenticator app, such as the one in your password manager. Then enter the six digits
          that it shows.
        </Text>
        <div className="totp-setup">
          <Suspense fallback={<div className="qr-code" />}>
            <QrCode text={uri} label="QR code for your authenticator app" />
          </Suspense>
          <div className="totp-setup__secret">
            <Text size="sm" c="dimmed" mb={6}>
              Or type this secret into the app:
            </Text>
            <CodeSample title="the secret" language="text" code={inGroups(secret)} onCopy={() => copy(secret)} />
          </div>
        </div>
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          placeholder="123456"
          ref={firstField}
          {...form.field("code")}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <SubmitButton>Switch on</SubmitButton>
        </Group>
      </Stack>
    </Form>
  )
}

/** Easier to read and to type. Apps ignore the spaces. */
function inGroups(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(" ")
}
