import { Anchor, Button } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useState } from "react"
import { Link, Navigate, useLocation } from "react-router"
import { pageAfterLogin } from "../../../lib/page-after-login.ts"
import { passkeysMissing } from "../../../lib/passkeys.ts"
import { useUser } from "../../../lib/state.ts"
import { CenteredCard } from "../../../ui/CenteredCard.tsx"
import { useRefocus } from "../../../ui/use-refocus.ts"
import { useReturnFromProvider } from "../use-return-from-provider.ts"
import { AddPasskeyDialog } from "./AddPasskeyDialog.tsx"
import { RecoveryCodes } from "./RecoveryCodes.tsx"
import { NewTotp } from "./TotpSetup.tsx"

/** Where the server takes users who must have a second factor before they go on. */
export function RequiredFactorScreen() {
  const needsFactor = useUser()?.needsSecondFactor === true
  const [cameNeeding] = useState(needsFactor)
  const { search } = useLocation()
  const [codes, setCodes] = useState<string[]>()
  // They may have set it up in another tab. Recovery codes stay until they are saved: they are shown only once.
  if (!needsFactor && codes === undefined) {
    return <Navigate to={cameNeeding ? pageAfterLogin(search) : "/user/dashboard"} replace />
  }
  return (
    <CenteredCard
      title="Set up a second factor"
      lead="This server requires one, so that a password alone does not open an account."
      footer={
        <>
          Not now?{" "}
          <Anchor component={Link} to="/user/logout" inherit underline="always">
            Log out
          </Anchor>
        </>
      }
    >
      {codes === undefined ? (
        <FactorChoice onAdded={setCodes} />
      ) : (
        <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
      )}
    </CenteredCard>
  )
}

function FactorChoice({ onAdded }: { onAdded: (recoveryCodes: string[]) => void }) {
  const [isSettingUp, setSettingUp] = useState(false)
  const [adding, add] = useDisclosure(false)
  const setUpButton = useRefocus(isSettingUp)
  useReturnFromProvider()
  return (
    <>
      {isSettingUp ? (
        <NewTotp onConfirmed={onAdded} onCancel={() => setSettingUp(false)} />
      ) : (
        // A click asks for the secret, not the page: one more tab would replace the secret that another tab shows.
        <Button ref={setUpButton} size="md" fullWidth onClick={() => setSettingUp(true)}>
          Set up an authenticator app
        </Button>
      )}
      {passkeysMissing() === undefined && (
        <Button variant="subtle" fullWidth mt="md" onClick={add.open}>
          Add a passkey instead
        </Button>
      )}
      <AddPasskeyDialog opened={adding} onCodes={onAdded} onClose={add.close} />
    </>
  )
}
