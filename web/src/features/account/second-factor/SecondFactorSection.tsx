import type { SecondFactors } from "@envkeep/contract"
import { Button, Text, Title } from "@mantine/core"
import { useState } from "react"
import { ConfirmDialog } from "../../../ui/ConfirmDialog.tsx"
import { counted } from "../../../ui/counts.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { LoadFailed } from "../../../ui/LoadFailed.tsx"
import { Spinner } from "../../../ui/Spinner.tsx"
import { LastFactorNote } from "./LastFactorNote.tsx"
import { useCreateRecoveryCodes, useRemoveTotp, useSecondFactors } from "./queries.ts"
import { RecoveryCodes } from "./RecoveryCodes.tsx"
import { TotpSetup } from "./TotpSetup.tsx"
import "./second-factor.css"

/** Login security: the authenticator app and the recovery codes. */
export function SecondFactorSection() {
  const { data, error, refetch } = useSecondFactors()
  return (
    <section className="card profile-section">
      <div>
        <Title order={2} tabIndex={-1}>
          Login security
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          With a second factor, your password alone does not open your account. Tokens and API keys keep working without
          it.
        </Text>
      </div>
      <div>
        {data === undefined && error === null && <Spinner />}
        {data === undefined && error !== null && (
          <LoadFailed title="Your second factors could not be loaded" message={error.message} onRetry={refetch} />
        )}
        {data !== undefined && (
          <ul className="profile-list lined" aria-label="Second factors">
            <TotpRow factors={data} />
            {(data.totp || data.passkeys > 0) && <RecoveryRow factors={data} />}
          </ul>
        )}
      </div>
    </section>
  )
}

function TotpRow({ factors: { totp, passkeys, isRequired } }: { factors: SecondFactors }) {
  const [isSettingUp, setSettingUp] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const remove = useRemoveTotp()
  const isLast = passkeys === 0

  async function confirm() {
    await remove({})
    setAsking(false)
  }
  return (
    <li className="profile-list__row" aria-label="Authenticator app">
      <div className="profile-list__text">
        <span className="profile-list__name">
          Authenticator app
          {totp && <span className="chip chip--accent">On</span>}
        </span>
        <Text size="sm" c="dimmed">
          {totp ? "A login asks for the code that your app shows." : "Codes from an app on your phone or computer."}
        </Text>
      </div>
      {totp ? (
        <Button
          variant="default"
          size="xs"
          className="danger-button"
          aria-label="Switch off the authenticator app"
          onClick={() => setAsking(true)}
        >
          Switch off
        </Button>
      ) : (
        <Button variant="default" size="xs" aria-label="Set up an authenticator app" onClick={() => setSettingUp(true)}>
          Set up
        </Button>
      )}
      <Dialog
        opened={isSettingUp}
        onClose={() => setSettingUp(false)}
        title="Set up an authenticator app"
        size="lg"
        // A click beside it must not lose recovery codes, which are shown only once.
        closesOutside={false}
      >
        <TotpSetup hasOthers={passkeys > 0} onDone={() => setSettingUp(false)} onCancel={() => setSettingUp(false)} />
      </Dialog>
      <ConfirmDialog
        opened={isAsking}
        title="Switch off the authenticator app?"
        confirm="Switch off"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        {isLast ? <LastFactorNote isRequired={isRequired} /> : "Your passkeys stay."}
      </ConfirmDialog>
    </li>
  )
}

function RecoveryRow({ factors: { recoveryCodesLeft: left } }: { factors: SecondFactors }) {
  const [isAsking, setAsking] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  const [isShown, setShown] = useState(false)
  const create = useCreateRecoveryCodes()

  async function confirm() {
    await create({}, undefined, {
      onStored({ recoveryCodes }) {
        setCodes(recoveryCodes)
        setShown(true)
      },
    })
    setAsking(false)
  }
  return (
    <li className="profile-list__row" aria-label="Recovery codes">
      <div className="profile-list__text">
        <span className="profile-list__name">
          Recovery codes
          {left <= 2 && <span className="chip chip--unsaved">{left === 0 ? "None left" : "Few left"}</span>}
        </span>
        <Text size="sm" c="dimmed">
          {counted(left, "code is", "codes are")} left for the day you lose your second factor.
        </Text>
      </div>
      <Button variant="default" size="xs" aria-label="Make new recovery codes" onClick={() => setAsking(true)}>
        Make new
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title="Make new recovery codes?"
        confirm="Make new codes"
        isHarmless
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        The codes that you have now stop working.
      </ConfirmDialog>
      <Dialog
        opened={isShown}
        onClose={() => setShown(false)}
        title="Your new recovery codes"
        size="lg"
        closesOutside={false}
      >
        {codes !== undefined && <RecoveryCodes codes={codes} onDone={() => setShown(false)} />}
      </Dialog>
    </li>
  )
}
