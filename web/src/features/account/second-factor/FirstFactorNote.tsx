import { Text } from "@mantine/core"
import { useIdentities } from "../queries.ts"
import { useSecondFactors } from "./queries.ts"

/** What it means to add the first second factor of an account. Nothing if it is not the first, or there is no password. */
export function FirstFactorNote() {
  const { data: factors } = useSecondFactors()
  const { data: account } = useIdentities()
  const isFirst = factors?.totp === false && factors.passkeys === 0
  if (!isFirst || account?.hasPassword !== true) return null
  return <Text size="sm">From then on, your password alone no longer opens your account.</Text>
}
