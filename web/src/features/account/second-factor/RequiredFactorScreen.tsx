import { Anchor, Button } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useState } from "react"
import { Link, Navigate, useNavigate } from "react-router"
import { passkeysMissing } from "../../../lib/passkeys.ts"
import { useUser } from "../../../lib/state.ts"
import { CenteredCard } from "../../../ui/CenteredCard.tsx"
import { AddPasskeyDialog } from "./AddPasskeyDialog.tsx"
import { TotpSetup } from "./TotpSetup.tsx"

/** Where the server takes users who must have a second factor before they go on. */
export function RequiredFactorScreen() {
  const needsFactor = useUser()?.needsSecondFactor === true
  const [cameNeeding] = useState(needsFactor)
  const navigate = useNavigate()
  const [adding, add] = useDisclosure(false)
  const goOn = () => navigate("/collection/dashboard", { replace: true })
  if (!cameNeeding) return <Navigate to="/user/dashboard" replace />
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
      <TotpSetup onDone={goOn} />
      {passkeysMissing() === undefined && (
        <Button variant="subtle" fullWidth mt="md" onClick={add.open}>
          Add a passkey instead
        </Button>
      )}
      <AddPasskeyDialog opened={adding} onClose={add.close} onAdded={goOn} />
    </CenteredCard>
  )
}
