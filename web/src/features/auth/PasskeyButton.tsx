import { Button } from "@mantine/core"
import { IconFingerprint } from "@tabler/icons-react"
import { Icon } from "../../ui/Icon.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { usePasskeySignIn } from "./passkey-queries.ts"

/** Signs in without a password. */
export function PasskeyButton() {
  const [signIn, pending] = useOnce(usePasskeySignIn())
  return (
    <Button
      variant="default"
      fullWidth
      size="md"
      mt="md"
      leftSection={<Icon shape={IconFingerprint} />}
      loading={pending}
      onClick={signIn}
    >
      Log in with a passkey
    </Button>
  )
}
